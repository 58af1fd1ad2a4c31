//! Policies on the command line: checked with the graph, shown, and named if they decide.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};

const GRAPH: &str = "\
rules: policies
domains:
  files:
    autonomous: [read, edit]
    requires_approval: [delete]
    blocked: []
";

const FILES: &str = r#"@id("outside")
forbid (principal, action == Action::"files.edit", resource)
when { !context.approved }
unless { context.facts.in_workspace };

forbid (principal, action in Action::"files", resource)
when { context.facts.secret };
"#;

fn desk() -> Desk {
    Desk::empty().with("countersign.yaml", GRAPH).with("policies/files.cedar", FILES)
}

#[test]
fn a_valid_graph_with_policies_gets_one_line() {
    assert_snapshot!(desk().run(&["graph", "check"]), @"
    countersign.yaml: valid; 1 domain, 3 actions, 2 policies, consent does not decay
    exit: 0
    ");
}

#[test]
fn a_mistake_in_a_policy_is_shown_at_its_line() {
    let wrong = "forbid (principal, action == Action::\"files.delet\", resource)\nwhen { context.facts.path like \"/tmp/*\" };\n";
    let desk = desk().with("policies/wrong.cedar", wrong);
    assert_snapshot!(desk.run(&["graph", "check"]), @r#"
    error: the graph has no action and no domain `files.delet`
     --> policies/wrong.cedar:1:38
      |
    1 | forbid (principal, action == Action::"files.delet", resource)
      |                                      ^^^^^^^^^^^^^
      = help: did you mean `files.delete`?
    error: `like` compares text, and one path or host has many spellings
     --> policies/wrong.cedar:2:27
      |
    2 | when { context.facts.path like "/tmp/*" };
      |                           ^^^^
      = help: use `context.facts.under.contains("/a/folder")` or `context.facts.hosts.contains("example.com")`
    policies/wrong.cedar: 2 problems; the graph cannot be loaded
    exit: 1
    "#);
    assert_eq!(desk.code(&["check", "files", "read"]), 1);
}

#[test]
fn json_lists_the_problems_of_every_file() {
    let desk = desk().with("policies/a.cedar", "permit").with("policies/b.cedar", "permit");
    let output = desk.output(&["graph", "check", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files: Vec<_> =
        printed["problems"].as_array().unwrap().iter().map(|p| &p["file"]).collect();
    assert_eq!(files, ["policies/a.cedar", "policies/b.cedar"]);
}

#[test]
fn a_policy_folder_that_is_missing_empty_or_has_other_files_is_refused() {
    let missing = Desk::empty().with("countersign.yaml", GRAPH);
    assert_snapshot!(missing.run(&["graph", "check"]), @"
    error: cannot read the folder `policies`: no such file or directory
     --> countersign.yaml:1:8
      |
    1 | rules: policies
      |        ^^^^^^^^
      = help: name a folder of `.cedar` files, relative to the graph file
    countersign.yaml: 1 problem; the graph cannot be loaded
    exit: 1
    ");
    let empty = Desk::empty().with("countersign.yaml", GRAPH).with("policies/README.md", "x");
    assert!(empty.run(&["graph", "check"]).contains("the folder `policies` contains no policy"));
    let typo = desk().with("policies/more.ceder", FILES);
    let message = "`policies/more.ceder` is in the policy folder but does not end in `.cedar`";
    assert!(typo.run(&["graph", "check"]).contains(message));
}

#[test]
fn a_check_with_a_target_names_the_policy_that_decides() {
    assert_snapshot!(desk().run(&["check", "files", "edit", "--target", "/srv/a", "--explain"]), @"
    SILENT -- proceed
    enforced: ask (no_grant)
      because   you haven't allowed files.edit yet
      to change your yes to this request would allow it
      rule      files.edit: autonomous, risk low, irreversible
      policies  decided by outside
      graph     countersign.yaml (a532c3…2180c9)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 8
    ");
    assert_snapshot!(desk().run(&["check", "files", "delete", "--target", ".env", "--explain"]), @"
    FORCED -- ask first
    enforced: deny (blocked)
      because   files.delete is blocked by policy files.cedar:6
      to change another tier for the action in the graph would change it
      rule      files.delete: requires_approval, risk moderate, irreversible
      policies  decided by files.cedar:6
      graph     countersign.yaml (a532c3…2180c9)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 5
    ");
    assert_eq!(desk().code(&["check", "files", "edit", "--target", "a.md"]), 0);
}

#[test]
fn a_link_out_of_the_workspace_is_followed() {
    let desk = desk().with("outside/a", "").with("w/b", "");
    std::os::unix::fs::symlink(desk.path("outside"), desk.path("w/leak")).unwrap();
    let check = |target: &str| {
        desk.code(&["check", "files", "edit", "--target", target, "--workspace", "w"])
    };
    assert_eq!([check("b"), check("leak/a"), check("../outside/a")], [0, 8, 8]);
}

#[test]
fn a_check_without_a_target_evaluates_no_policy_and_says_so() {
    assert_snapshot!(desk().run(&["check", "files", "edit", "--explain"]), @"
    SILENT -- proceed
      because   your rules allow it
      to change above moderate risk it would have asked
      rule      files.edit: autonomous, risk low, irreversible
      policies  not evaluated without `--target`: outside, files.cedar:6
      graph     countersign.yaml (a532c3…2180c9)
    stderr: graph: countersign.yaml (named by COUNTERSIGN_GRAPH)
    exit: 0
    ");
}

#[test]
fn a_graph_shows_which_policies_apply_to_an_action() {
    let shown = desk().run(&["graph", "show"]);
    assert!(shown.contains("policies  outside, files.cedar:6"), "{shown}");
    assert!(shown.contains("policy outside, policy files.cedar:6"), "{shown}");
    let output = desk().output(&["graph", "show", "--json"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let policies = |at: usize| printed["actions"][at]["policies"].clone();
    assert_eq!(printed["actions"][0]["action"], json!("files.edit"));
    assert_eq!(policies(0), json!(["outside", "files.cedar:6"]));
    assert_eq!(policies(1), json!(["files.cedar:6"]));
}

#[test]
fn a_story_runs_with_the_policies_of_its_graph() {
    let story = "story: x\nsteps:\n  - {call: files.edit, target: .env, project: /w, expect: deny, because: blocked}\n";
    let desk = desk().with("case.yaml", story);
    assert_eq!(desk.code(&["test", "case.yaml", "--graph", "countersign.yaml"]), 0);
}

#[test]
fn a_review_does_not_change_policies_and_the_hash_covers_them() {
    let hash = |desk: &Desk| {
        let output = desk.output(&["graph", "check", "--json"]);
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        printed["graph"]["hash"].clone()
    };
    let changed = desk().with("policies/files.cedar", format!("{FILES}\n"));
    assert_ne!(hash(&desk()), hash(&changed));
    let reviewed =
        Desk::empty().with("countersign.yaml", format!("last_reviewed: 2026-01-01\n{GRAPH}"));
    let reviewed = reviewed.with("policies/files.cedar", FILES);
    assert_eq!(reviewed.code(&["graph", "review", "--yes"]), 0);
    assert_eq!(reviewed.text("policies/files.cedar"), FILES);
}
