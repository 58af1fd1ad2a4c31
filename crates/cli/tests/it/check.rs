//! `check`: the listed tier, what is enforced, and the exit code.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn check(words: &[&str]) -> String {
    Desk::new().run(&[&["check"], words].concat())
}

fn under(graph: &str, words: &[&str]) -> String {
    Desk::empty().with("countersign.yaml", graph).run(&[&["check"], words].concat())
}

#[test]
fn each_tier_prints_its_word_first() {
    assert_snapshot!(check(&["email", "read"]), @"
    SILENT -- proceed
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert_snapshot!(check(&["email", "delete", "0.9"]), @"
    VISIBLE -- proceed and notify
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert_snapshot!(check(&["email", "delete", "0.84"]), @"
    FORCED -- ask first
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
    assert_snapshot!(check(&["email", "wipe", "1"]), @"
    BLOCKED -- do not proceed
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 5
    ");
}

#[test]
fn a_missing_confidence_counts_as_none() {
    assert_snapshot!(check(&["email", "delete"]), @"
    FORCED -- ask first
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn confidence_alone_does_not_allow_an_irreversible_action() {
    assert_snapshot!(check(&["email", "send", "0.9"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (no_grant)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn a_check_names_no_recipient_so_contacts_do_not_matter() {
    // A call without a recipient would be decided as `send_to_unknown`, which is blocked.
    let printed = check(&["email", "send", "--json"]);
    for part in [r#""outcome":"ask""#, r#""printed":"FORCED""#, r#""reason":"no_grant""#] {
        assert!(printed.contains(part), "{printed}");
    }
}

#[test]
fn critical_risk_asks_however_sure_the_agent_is() {
    assert_snapshot!(check(&["email", "pay", "1"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (no_grant)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn an_unlisted_action_asks_at_any_confidence() {
    assert_snapshot!(check(&["bank", "transfer", "1"]), @"
    FORCED -- ask first
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn an_unlisted_action_is_denied_if_the_graph_says_so() {
    let graph = "unclassified: deny\ndomains: {}\n";
    assert_snapshot!(under(graph, &["bank", "transfer", "1"]), @"
    FORCED -- ask first
    enforced: deny (unclassified)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 5
    ");
}

#[test]
fn a_decayed_permission_asks() {
    let graph = "
consent_decay: {enabled: true, review_interval_days: 30}
last_reviewed: 2000-01-01
domains:
  email:
    autonomous: [read, label]
    requires_approval: []
    blocked: []
    actions: {read: {risk: read_only}}
";
    assert_snapshot!(under(graph, &["email", "label", "--explain"]), @"
    FORCED -- ask first
      because   the permission for email.label is due for review
      to change a review of the graph (`graph review`) would restore it
      rule      email.label: autonomous, risk low, irreversible
      review    last reviewed 2000-01-01, due after 30 days
      graph     countersign.yaml (ca8e23…18da25)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
    assert_snapshot!(under(graph, &["email", "read"]), @"
    FORCED -- ask first
    enforced: allow (read_only)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
}

const STRICT: &str = "
domains:
  self:
    autonomous: [note]
    requires_approval: [learn, door]
    blocked: []
    trusted_channel_required: [note]
    actions: {door: {always_ask: true}}
  core:
    autonomous: []
    requires_approval: [change]
    blocked: []
    require_diff: true
";

#[test]
fn conditions_that_a_plain_call_cannot_meet_deny() {
    assert_snapshot!(under(STRICT, &["self", "note"]), @"
    SILENT -- proceed
    enforced: deny (channel_required)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 5
    ");
    assert_snapshot!(under(STRICT, &["core", "change", "0.9"]), @"
    VISIBLE -- proceed and notify
    enforced: deny (diff_missing)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 5
    ");
}

#[test]
fn always_ask_asks() {
    assert_snapshot!(under(STRICT, &["self", "door", "0.9"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (always_ask)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn the_visible_policy_decides_whether_confidence_allows() {
    let graph = |policy: &str| {
        format!(
            "visible: {{policy: {policy}}}\ndomains:\n  a: {{autonomous: [], \
             requires_approval: [b], blocked: []}}\n"
        )
    };
    assert_snapshot!(under(&graph("seed"), &["a", "b", "0.9"]), @"
    VISIBLE -- proceed and notify
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
    assert_snapshot!(under(&graph("never"), &["a", "b", "0.9"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (no_grant)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn a_read_only_action_needs_no_answer_in_any_tier() {
    let graph = "
domains:
  mail:
    autonomous: []
    requires_approval: [count]
    blocked: []
    actions: {count: {risk: read_only}}
";
    assert_snapshot!(under(graph, &["mail", "count"]), @"
    FORCED -- ask first
    enforced: allow (read_only)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
}

#[test]
fn an_explanation_names_reason_remedy_rule_and_graph() {
    assert_snapshot!(check(&["email", "send", "0.9", "--explain"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (no_grant)
      because   you haven't allowed email.send yet
      to change your yes to this request would allow it
      rule      email.send: requires_approval, risk moderate, irreversible
      visible   from 0.85, policy reversible: reversible actions up to moderate risk proceed, unless trust is low; trust high
      graph     countersign.yaml (f00d5b…80918e)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
    assert_snapshot!(check(&["bank", "transfer", "--explain"]), @"
    FORCED -- ask first
      because   the graph does not list bank.transfer
      to change listing the action in the graph would change it
      rule      no rule lists bank.transfer; risk high
      graph     countersign.yaml (f00d5b…80918e)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
}

#[test]
fn json_is_one_object_with_a_version() {
    let output = Desk::new().output(&["check", "email", "send", "0.9", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hash = printed["graph"]["hash"].clone();
    assert_eq!(hash.as_str().unwrap().len(), 64);
    let expected = json!({
        "v": 1,
        "action": "email.send",
        "confidence": 0.9,
        "printed": "VISIBLE",
        "outcome": "ask",
        "reason": "no_grant",
        "exit": 8,
        "tier": "requires_approval",
        "risk": "moderate",
        "sentence": "you haven't allowed email.send yet",
        "nearest": "your yes to this request would allow it",
        "policies": {"evaluated": false, "applicable": [], "deciding": []},
        "did_you_mean": null,
        "graph": {"file": "countersign.yaml", "hash": hash},
    });
    assert_eq!(printed, expected);
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn a_misspelt_name_gets_a_suggestion_that_changes_nothing() {
    assert_snapshot!(check(&["emial", "send", "0.9"]), @"
    FORCED -- ask first
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    stderr: did you mean email.send?
    exit: 8
    ");
    assert_snapshot!(check(&["email", "raed", "1"]), @"
    FORCED -- ask first
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    stderr: did you mean email.read?
    exit: 8
    ");
    let output = Desk::new().output(&["check", "Email", "Send", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["did_you_mean"], json!("email.send"));
    assert_eq!(printed["outcome"], json!("ask"));
}

#[test]
fn an_invalid_confidence_is_refused_and_allows_nothing() {
    for given in ["7", "NaN", "abc", "-0.5", "inf", "", "-7", "1e9"] {
        let output = Desk::new().output(&["check", "email", "read", given]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("a confidence is a number from 0 to 1"), "{given}: {said}");
        assert!(output.stdout.is_empty(), "{given}");
        assert_eq!(output.status.code(), Some(2), "{given}");
    }
    assert_snapshot!(check(&["email", "read", "-0.5"]), @"
    stderr: error: `-0.5` is not a confidence
    stderr:   help: a confidence is a number from 0 to 1, for example 0.9
    exit: 2
    ");
}

#[test]
fn an_invalid_action_name_is_refused() {
    assert_snapshot!(check(&["email.send", "0.9"]), @"
    VISIBLE -- proceed and notify
    enforced: ask (no_grant)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
    assert_snapshot!(check(&["email", "se nd"]), @"
    stderr: error: a name of an action may not contain ` `
    stderr:   help: write domain and action as the graph lists them
    exit: 2
    ");
    assert_snapshot!(check(&["", "send"]), @"
    stderr: error: an action is written `domain.verb`, and `.send` is not
    stderr:   help: write domain and action as the graph lists them
    exit: 2
    ");
}

#[test]
fn arguments_cannot_control_the_terminal() {
    let output = Desk::new().output(&["check", "email", "read", "\u{1b}[31m9\u{202e}"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(r"9\u{202e}"), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'));
}

#[test]
fn an_action_can_be_written_with_a_dot() {
    let desk = Desk::new();
    for (dotted, apart) in [
        (&["check", "email.send"][..], &["check", "email", "send"][..]),
        (&["check", "email.delete", "0.9"], &["check", "email", "delete", "0.9"]),
        (&["check", "email.nothing", "--json"], &["check", "email", "nothing", "--json"]),
    ] {
        assert_eq!(desk.run(dotted), desk.run(apart), "{dotted:?}");
    }
    for wrong in [
        &["check", "email"][..],
        &["check", "email."],
        &["check", ".send"],
        &["check", "email.send", "now"],
        &["check", "email.send", "0.9", "1"],
        &["check"],
        &["check", "email", "send", "0.9", "1"],
    ] {
        assert_eq!(desk.code(wrong), 2, "{wrong:?}");
    }
}
