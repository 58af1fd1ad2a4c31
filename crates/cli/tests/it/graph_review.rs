//! `graph review`: what it lists and writes, and when it refuses.

use crate::desk::Desk;
use countersign_core::model::time::Date;
use insta::assert_snapshot;

const GRAPH: &str = "\
# mine
consent_decay: {enabled: true, review_interval_days: 30}
last_reviewed: 2000-01-01   # by me
domains:
  files: {autonomous: [read, list], requires_approval: [], blocked: []}
  email:
    autonomous: [read]
    requires_approval: [send]
    blocked: []
";

fn desk() -> Desk {
    Desk::empty().with("countersign.yaml", GRAPH)
}

/// The day on which the test runs, as the program wrote it.
fn today(text: &str) -> String {
    let (_, rest) = text.split_once("last_reviewed: ").unwrap();
    let day: String = rest.chars().take(10).collect();
    assert!(Date::parse(&day).is_some(), "{day}");
    day
}

#[test]
fn without_a_terminal_it_lists_what_it_would_renew_and_writes_nothing() {
    let desk = desk();
    let printed = desk.run(&["graph", "review"]);
    let (first, rest) = printed.split_once('\n').unwrap();
    assert!(first.starts_with("countersign.yaml: this review renews 2 domains, as of "), "{first}");
    assert_snapshot!(rest, @"
    DOMAIN  REVIEWED         AUTONOMOUS
    email   2000-01-01, due  read
    files   2000-01-01, due  list, read
    stderr: error: cannot ask for confirmation: stdin is not a terminal
    stderr:   help: read the list above, then run it again with `--yes`
    exit: 2
    ");
    assert_eq!(desk.text("countersign.yaml"), GRAPH);
}

#[test]
fn with_yes_it_writes_the_date_and_no_other_byte() {
    let desk = desk();
    let printed = desk.run(&["graph", "review", "--yes"]);
    let written = desk.text("countersign.yaml");
    let today = today(&written);
    assert_eq!(written, GRAPH.replace("2000-01-01", &today));
    assert_snapshot!(printed.replace(&today, "TODAY"), @"
    countersign.yaml: this review renews 2 domains, as of TODAY
    DOMAIN  REVIEWED         AUTONOMOUS
    email   2000-01-01, due  read
    files   2000-01-01, due  list, read
    countersign.yaml: reviewed TODAY
    exit: 0
    ");
    let check = desk.run(&["graph", "check"]).replace(&today, "TODAY");
    assert_snapshot!(check, @"
    countersign.yaml: valid; 2 domains, 4 actions, reviewed TODAY; consent decays after 30 days
    exit: 0
    ");
}

#[test]
fn one_domain_can_be_renewed_alone() {
    let desk = desk();
    let printed = desk.run(&["graph", "review", "email", "--yes"]);
    let written = desk.text("countersign.yaml");
    let (before, after) = written.split_once("  email:\n").unwrap();
    assert!(before.contains("last_reviewed: 2000-01-01   # by me"));
    let today = today(after);
    assert_eq!(
        written,
        GRAPH.replace("  email:\n", &format!("  email:\n    last_reviewed: {today}\n"))
    );
    assert_snapshot!(printed.replace(&today, "TODAY"), @"
    countersign.yaml: this review renews 1 domain, as of TODAY
    DOMAIN  REVIEWED         AUTONOMOUS
    email   2000-01-01, due  read
    countersign.yaml: reviewed TODAY
    exit: 0
    ");
}

#[test]
fn an_unknown_domain_is_named() {
    let desk = desk();
    assert_snapshot!(desk.run(&["graph", "review", "emial", "--yes"]), @"
    stderr: error: the graph has no domain `emial`
    stderr:   help: did you mean `email`?
    exit: 2
    ");
    assert_eq!(desk.text("countersign.yaml"), GRAPH);
}

#[test]
fn an_invalid_graph_is_not_reviewed() {
    let desk = Desk::empty().with("countersign.yaml", "domains: {a: {}}\n");
    assert_eq!(desk.code(&["graph", "review", "--yes"]), 1);
    assert_eq!(desk.text("countersign.yaml"), "domains: {a: {}}\n");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_no_temporary_file_remains() {
    use std::os::unix::fs::PermissionsExt;
    let desk = desk();
    let path = desk.path("countersign.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(desk.code(&["graph", "review", "--yes"]), 0);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}
