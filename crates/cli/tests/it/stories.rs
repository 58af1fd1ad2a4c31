//! `test`: runs case files and shows failures.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;
use serde_json::{Value, json};

const HOLDS: &str = "\
story: reading is free
steps:
  - call: email.read
    expect: allow
    because: autonomous
";

const FAILS: &str = "\
story: sending is free
steps:
  - call: email.read
    expect: allow
  - call: email.delete
    expect: allow
    because: granted
";

fn desk() -> Desk {
    Desk::new().with("cases/b/holds.yaml", HOLDS).with("cases/a.yml", HOLDS)
}

const CASES: [&str; 4] = ["test", "cases", "--graph", "countersign.yaml"];

#[test]
fn passed_cases_are_only_counted() {
    assert_snapshot!(desk().with("cases/notes.txt", "no case").run(&CASES), @"
    2 passed, 0 failed
    exit: 0
    ");
}

#[test]
fn a_failed_case_shows_position_expectation_and_reasons() {
    assert_snapshot!(desk().with("cases/fails.yaml", FAILS).run(&CASES), @r#"
    failed: cases/fails.yaml:5: step 2 of "sending is free"
      expected  allow
      got       ask
      expected  because granted
      got       because no_grant
      because   ask no_grant: email.delete (requires_approval, risk moderate)
    2 passed, 1 failed
    exit: 1
    "#);
}

#[test]
fn a_case_named_twice_runs_once() {
    let words = ["test", "cases", "cases/a.yml", "--graph", "countersign.yaml"];
    assert_snapshot!(desk().run(&words), @"
    2 passed, 0 failed
    exit: 0
    ");
}

#[test]
fn a_case_with_its_own_graph_needs_no_other() {
    let graph: String = GRAPH.lines().map(|line| format!("  {line}\n")).collect();
    let case = format!("{HOLDS}graph:\n{graph}");
    assert_eq!(Desk::empty().with("a.yaml", case).code(&["test", "a.yaml"]), 0);
}

#[test]
fn a_case_without_a_graph_says_what_it_needs() {
    assert_snapshot!(desk().without_named_graph().run(&["test", "cases/a.yml"]), @"
    error: the case has no graph
     --> cases/a.yml:1:1
      |
    1 | story: reading is free
      | ^
      = help: add `graph:` to the case, or run it with `--graph FILE`
    0 passed, 1 failed
    exit: 1
    ");
}

#[test]
fn a_misspelt_step_fails_the_case() {
    let case =
        "story: a slip\nsteps:\n  - cal: email.read\n  - call: email.read\n    expects: allow\n";
    assert_snapshot!(desk().with("cases/slip.yaml", case).run(&CASES), @"
    error: this step has no known step key
     --> cases/slip.yaml:3:5
      |
    3 |   - cal: email.read
      |     ^^^^^^^^^^^^^^^
      = help: did you mean `call`?
    error: unknown key `expects`
     --> cases/slip.yaml:5:5
      |
    5 |     expects: allow
      |     ^^^^^^^
      = help: did you mean `expect`?
    2 passed, 1 failed
    exit: 1
    ");
}

#[test]
fn finding_no_case_is_a_failure() {
    let desk = Desk::new().with("empty/readme.md", "");
    assert_snapshot!(desk.run(&["test", "empty"]), @"
    0 passed, 0 failed
    stderr: error: no case was found; nothing was tested
    stderr:   help: name case files, or folders with files that end in `.yaml` or `.yml`
    exit: 1
    ");
}

#[test]
fn a_path_that_does_not_exist_is_an_error() {
    assert_snapshot!(desk().run(&["test", "cases", "csaes", "--graph", "countersign.yaml"]), @"
    stderr: error: cannot read `csaes`: no such file or directory
    stderr:   help: name case files or folders that can be read
    exit: 1
    ");
}

#[test]
fn a_path_is_needed() {
    assert_eq!(Desk::empty().code(&["test"]), 2);
}

#[test]
fn json_has_the_counts_and_every_case() {
    let desk = desk().with("cases/fails.yaml", FAILS).with("cases/slip.yaml", "story: a\n");
    let output = desk.output(&[&CASES[..], &["--json"]].concat());
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let counts = (&printed["v"], &printed["passed"], &printed["failed"]);
    assert_eq!(counts, (&json!(1), &json!(2), &json!(2)));
    let verdicts: Vec<_> =
        printed["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert_eq!(verdicts, ["passed", "passed", "failed", "unreadable"]);
    let failure = &printed["cases"][2]["failures"][0];
    assert_eq!((&failure["step"], &failure["expected"]), (&json!(2), &json!("allow")));
    let problem = &printed["cases"][3]["problems"][0];
    assert_eq!(problem["message"], json!("the case has no `steps`"));
}

#[test]
fn the_schema_knows_the_steps() {
    let printed = Desk::empty().output(&["test", "--schema"]).stdout;
    let schema: Value = serde_json::from_slice(&printed).unwrap();
    let steps = schema["properties"]["steps"]["items"]["oneOf"].as_array().unwrap();
    let titles: Vec<_> = steps.iter().filter_map(|step| step["title"].as_str()).collect();
    assert!(titles.contains(&"call") && titles.contains(&"answer"), "{titles:?}");
}

#[test]
fn cases_run_on_the_named_store() {
    let said = desk().run(&["test", "cases", "--graph", "countersign.yaml", "--store", "sqlite"]);
    assert_snapshot!(said, @"
    2 passed, 0 failed
    exit: 0
    ");
}

#[test]
fn an_unknown_store_is_refused() {
    let said = desk().run(&["test", "cases", "--store", "mysql"]);
    assert!(said.contains("`memory`, `sqlite`, or `postgres:`"), "{said}");
    assert!(said.ends_with("exit: 2"), "{said}");
}

#[test]
fn an_unreachable_database_fails_each_case_and_says_why() {
    let store = "postgres:host=/nowhere user=nobody";
    let said = desk().run(&["test", "cases", "--graph", "countersign.yaml", "--store", store]);
    assert!(said.contains("reaching the database"), "{said}");
    assert!(said.contains("0 passed, 2 failed"), "{said}");
}
