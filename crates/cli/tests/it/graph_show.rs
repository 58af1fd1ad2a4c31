//! `graph show`: the graph as a table.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};

const GRAPH: &str = "
last_reviewed: 2026-01-05
domains:
  email:
    trust_level: high
    autonomous: [read]
    requires_approval: [send, delete]
    blocked: [wipe]
    actions:
      read: {risk: read_only}
      delete: {reversible: true, risk: low, when_idle: true}
      send: {categories: [send_email], always_ask: true}
  self:
    autonomous: [note]
    requires_approval: [learn]
    blocked: []
    trusted_channel_required: [learn]
    require_diff: true
    cooling_period_hours: 2
    undo_window_days: 7
  notes:
    autonomous: []
    requires_approval: [write]
    blocked: []
reducers:
  - {caller: self.note, action: notes.write, to: low}
";

fn show(words: &[&str]) -> String {
    let desk = Desk::empty().with("countersign.yaml", GRAPH);
    desk.run(&[&["graph", "show"], words].concat())
}

#[test]
fn the_table_is_aligned_and_has_no_colour_without_a_terminal() {
    assert_snapshot!(show(&[]), @"
    graph     countersign.yaml (9cd98b…4a7b57)
    reviewed  2026-01-05; consent does not decay
    visible   from 0.85, policy reversible
    unlisted  ask
    also      0 contacts, 1 reducer, 0 tool mappings, 0 workflows, 0 slash commands, 0 command rules

    DOMAIN  TRUST  ACTION  TIER               RISK       UNDO        CATEGORIES  CONDITIONS
    email   high   read    autonomous         read_only  -           -           -
    email   high   delete  requires_approval  low        reversible  -           when_idle
    email   high   send    requires_approval  high       -           send_email  always_ask
    email   high   wipe    blocked            high       -           -           -
    notes   -      write   requires_approval  moderate   -           -           -
    self    -      note    autonomous         low        -           -           -
    self    -      learn   requires_approval  moderate   -           -           trusted_channel, diff, cooling 2h, undo 7d
    exit: 0
    ");
}

const PRESETS: &str = "
domains:
  git: {autonomous: [status], requires_approval: [commit, push], blocked: []}
secrets: [customers.sqlite]
guarded: [./deploy]
commands: {classes: {git.status: [git status, git log *]}}
presets:
  careful: {requires_approval: [git.status]}
  plain: {}
  quick: {autonomous: [git.commit]}
preset: quick
";

#[test]
fn presets_show_what_they_change_and_what_they_would_change() {
    let desk = Desk::empty().with("countersign.yaml", PRESETS);
    assert_snapshot!(desk.run(&["graph", "show"]), @"
    graph     countersign.yaml (01d76c…8ce76e)
    reviewed  never; consent does not decay
    visible   from 0.85, policy reversible
    unlisted  ask
    also      0 contacts, 0 reducers, 0 tool mappings, 0 workflows, 0 slash commands, 2 command rules, 2 place patterns
    preset    quick, of careful, plain, quick

    DOMAIN  TRUST  ACTION  TIER               RISK      UNDO  CATEGORIES  CONDITIONS
    git     -      commit  autonomous         low       -     -           -
    git     -      status  autonomous         low       -     -           -
    git     -      push    requires_approval  moderate  -     -           -

    PRESET   IN FORCE  ACTION      FROM               TO
    careful  no        git.commit  autonomous         requires_approval
    careful  no        git.status  autonomous         requires_approval
    plain    no        git.commit  autonomous         requires_approval
    quick    yes       git.commit  requires_approval  autonomous
    exit: 0
    ");
    let printed: Value =
        serde_json::from_slice(&desk.output(&["graph", "show", "--json"]).stdout).unwrap();
    assert_eq!(printed["preset"], json!("quick"));
    let back = json!({"action": "git.commit", "from": "autonomous", "to": "requires_approval"});
    assert_eq!(
        printed["presets"][1],
        json!({"preset": "plain", "in_force": false, "moves": [back]})
    );
    assert_eq!(printed["secrets"], json!(["customers.sqlite"]));
    assert_eq!(printed["guarded"], json!(["./deploy"]));
    let class = json!({"action": "git.status", "rules": ["git status", "git log *"]});
    assert_eq!(printed["commands"]["classes"], json!([class]));
}

#[test]
fn reducers_are_listed_in_words() {
    assert_snapshot!(show(&["--reducers"]), @"
    inside self.note, notes.write counts as low instead of moderate: it needs no answer there
    exit: 0
    ");
    let none = Desk::new().run(&["graph", "show", "--reducers"]);
    assert_snapshot!(none, @"
    no reducers: no caller lowers the risk of an action
    exit: 0
    ");
}

#[test]
fn json_says_the_same() {
    let desk = Desk::empty().with("countersign.yaml", GRAPH);
    let printed: Value =
        serde_json::from_slice(&desk.output(&["graph", "show", "--json"]).stdout).unwrap();
    assert_eq!(printed["v"], json!(1));
    let learn = json!({
        "action": "self.learn",
        "tier": "requires_approval",
        "risk": "moderate",
        "undo": "irreversible",
        "categories": [],
        "conditions": ["trusted_channel", "diff", "cooling 2h", "undo 7d"],
        "policies": [],
    });
    assert!(printed["actions"].as_array().unwrap().contains(&learn), "{printed}");
    let reducer =
        json!({"caller": "self.note", "action": "notes.write", "from": "moderate", "to": "low"});
    assert_eq!(printed["reducers"], json!([reducer]));
    let alone = desk.output(&["graph", "show", "--json", "--reducers"]);
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert_eq!(alone["reducers"], json!([reducer]));
    assert_eq!(alone["actions"], Value::Null);
}
