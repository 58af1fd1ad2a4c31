//! Where a graph is searched if no option names one.

use crate::daemon::Daemon;
use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;

const CHECK: [&str; 3] = ["check", "email", "read"];

/// A desk with a graph of the operator, in a repository with rules of its own.
fn open_repository(rules: &str) -> Desk {
    let desk = Desk::empty().without_named_graph();
    desk.with("home/.config/countersign/countersign.yaml", GRAPH).with("countersign.yaml", rules)
}

#[test]
fn a_graph_in_the_working_folder_is_not_used() {
    let desk = Desk::empty().without_named_graph().with("countersign.yaml", GRAPH);
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: there is no graph in `HERE/home/.config/countersign`, so nothing is allowed
    stderr:   help: write one with `countersign graph new coding`, or name one with `--graph FILE`
    exit: 1
    ");
}

#[test]
fn rules_of_a_repository_that_narrow_hold_without_trust() {
    let desk = open_repository("domains: {email: {requires_approval: [read], blocked: [delete]}}");
    assert_eq!(desk.code(&CHECK), 8);
    assert_eq!(desk.code(&["check", "email", "delete"]), 5);
    assert_eq!(desk.code(&["check", "email", "read", "--workspace", "/"]), 0);
    // Below the root of a repository, too.
    let rules = desk.text("countersign.yaml");
    let desk = desk
        .with("shop/.git/HEAD", "ref: refs/heads/main\n")
        .with("shop/.git/objects/.keep", "")
        .with("shop/.git/refs/.keep", "")
        .with("shop/below/note", "")
        .with("shop/countersign.yaml", rules);
    let below = desk.path("shop/below").display().to_string();
    assert_eq!(desk.code(&["check", "email", "delete", "--workspace", &below]), 5);
    let shown = desk.run(&["graph", "show", "--effective"]);
    assert!(shown.contains("they only narrow"), "{shown}");
    let owners = ["repository (yours: autonomous)", "repository (yours: requires_approval)"];
    assert!(owners.iter().all(|owner| shown.contains(owner)), "{shown}");
    assert_eq!(desk.code(&["graph", "lint", "--repository"]), 0);
    assert_eq!(desk.code(&["graph", "trust"]), 0, "there is nothing to trust");
    let explained = desk.run(&["check", "email", "delete", "--explain"]);
    assert!(explained.contains("blocked by the rules of this repository"), "{explained}");
}

#[test]
fn rules_of_a_repository_that_allow_more_wait_for_trust() {
    let desk = open_repository("domains: {email: {autonomous: [delete], blocked: [read]}}");
    let delete = ["check", "email", "delete"];
    assert_eq!((desk.code(&CHECK), desk.code(&delete)), (0, 8), "none of it counts");
    assert_eq!(desk.code(&["graph", "lint", "--repository"]), 1);
    // Without a terminal nobody can be asked.
    assert_eq!(desk.code(&["graph", "trust"]), 2);
    let trusted = desk.run(&["graph", "trust", "--yes"]);
    assert!(trusted.contains("looser") && trusted.contains("email.delete"), "{trusted}");
    assert!(trusted.contains("trusted, until it changes"), "{trusted}");
    assert_eq!((desk.code(&CHECK), desk.code(&delete)), (5, 0));
    let again = desk.run(&["graph", "trust", "--yes"]);
    assert!(again.contains("you trust this version already"), "{again}");
    let changed = "domains: {email: {autonomous: [delete, send], blocked: [read]}}";
    let desk = desk.with("countersign.yaml", changed);
    assert_eq!((desk.code(&CHECK), desk.code(&delete)), (0, 8), "the new version waits");
    assert_eq!(desk.code(&["graph", "trust", "--remove"]), 0);
    assert_eq!(desk.code(&["graph", "trust", "--remove"]), 2);
}

#[test]
fn rules_of_a_repository_that_cannot_be_read_make_everything_ask() {
    let desk = open_repository("guarded: []");
    std::fs::remove_file(desk.path("countersign.yaml")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", desk.path("countersign.yaml")).unwrap();
    assert_eq!(desk.code(&CHECK), 8);
    let explained = desk.run(&["check", "email", "read", "--explain"]);
    assert!(explained.contains("it is a link that leads out of the repository"), "{explained}");
    let lint = desk.run(&["graph", "lint", "--repository"]);
    assert!(lint.contains("cannot be read"), "{lint}");
}

#[test]
fn invalid_rules_of_a_repository_are_shown_with_their_line() {
    let desk = open_repository("domains: {}\ntools: {}\n");
    assert_eq!(desk.code(&CHECK), 0);
    for words in [&["graph", "lint", "--repository"][..], &["graph", "trust", "--yes"]] {
        let shown = desk.run(words);
        assert!(shown.contains("`tools` belongs in your own graph"), "{shown}");
        assert!(shown.contains("countersign.yaml:2:1"), "{shown}");
        assert!(shown.ends_with("exit: 1"), "{shown}");
    }
}

#[test]
fn a_rule_is_written_into_the_rules_of_the_repository() {
    let desk = open_repository("");
    std::fs::remove_file(desk.path("countersign.yaml")).unwrap();
    let block = ["block", "dd *", "--project", "--yes"];
    let written = desk.run(&block);
    assert!(written.contains("it holds from the next call in this repository on"), "{written}");
    assert!(desk.text("countersign.yaml").contains("deny: [\"dd *\"]"));
    assert_eq!(desk.code(&block), 1, "it says so already");
    let allowed = desk.run(&["allow", "ls -l", "--project", "--yes"]);
    assert!(allowed.contains("before `countersign graph trust`"), "{allowed}");
    assert_eq!(desk.code(&["rule", "ask", "ls -l", "--project", "--yes"]), 0);
    assert!(desk.text("countersign.yaml").contains("allow: []"));
    assert_eq!(desk.text("home/.config/countersign/countersign.yaml"), GRAPH);
}

#[test]
fn the_list_of_trusted_rules_is_private_and_refused_if_others_can_write_it() {
    use std::os::unix::fs::PermissionsExt;
    let desk = open_repository("domains: {email: {autonomous: [delete]}}");
    let desk = desk.under("COUNTERSIGN_DATA", "data");
    assert_eq!(desk.code(&["graph", "trust", "--yes"]), 0);
    assert_eq!(desk.code(&["check", "email", "delete"]), 0);
    let list = desk.path("data/trusted-layers.json");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!((mode(&list) & 0o777, mode(&desk.path("data")) & 0o777), (0o600, 0o700));
    std::fs::set_permissions(&list, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(desk.code(&["check", "email", "delete"]), 8);
}

#[test]
fn every_command_reads_the_graph_of_the_daemon() {
    let graph = GRAPH.replace("[read]", "[read, archive]");
    let desk = Desk::empty().with("deep/strict.yaml", graph);
    let desk = desk.with("home/.config/countersign/countersign.yaml", "nonsense");
    let daemon = Daemon::on(desk, &["--graph", "deep/strict.yaml"]);
    let desk = &daemon.desk;
    assert_snapshot!(desk.run(&["check", "email", "archive"]), @"
    SILENT -- proceed
    stderr: graph: deep/strict.yaml (the running daemon uses it)
    exit: 0
    ");
    for words in [
        &["graph", "check"][..],
        &["graph", "lint"],
        &["graph", "show"],
        &["graph", "review", "--yes"],
        &["commands", "explain", "ls"],
        &["inspect", "--tools"],
        &["graph", "diff", "deep/strict.yaml"],
        &["doctor"],
    ] {
        let printed = desk.run(words);
        assert!(printed.contains("deep/strict.yaml"), "{words:?}: {printed}");
    }
    // A named graph is used whatever the daemon does, with and without the option.
    for words in [&["graph", "check", "x.yaml"][..], &["graph", "check", "--graph", "x.yaml"]] {
        let printed = desk.run(words);
        assert!(printed.contains("cannot read `x.yaml`"), "{words:?}: {printed}");
    }
    let other = Desk::empty();
    let data = desk.path("data").display().to_string();
    assert_eq!(other.code(&["check", "email", "archive", "--data", &data]), 0);
}

#[test]
fn a_starter_graph_works_alone_on_the_day_it_is_written() {
    for kind in ["coding", "personal", "assistive"] {
        let desk = Desk::empty();
        assert_eq!(desk.code(&["graph", "new", kind]), 0, "{kind}");
        let lint = desk.run(&["graph", "lint"]);
        assert!(lint.ends_with("clean; no findings\nexit: 0"), "{kind}: {lint}");
        let check = desk.run(&["graph", "check"]);
        assert!(check.contains("valid") && !check.contains("due"), "{kind}: {check}");
        assert_eq!(desk.code(&["graph", "new", kind]), 2, "{kind}: nothing is replaced");
        assert_eq!(desk.code(&["graph", "new", kind, "sub/mine.yaml"]), 0, "{kind}");
        assert_eq!(desk.code(&["graph", "lint", "sub/mine.yaml"]), 0, "{kind}");
        assert_eq!(desk.code(&["graph", "new", kind, "mine.json"]), 2, "{kind}");
    }
    assert_eq!(Desk::empty().code(&["graph", "new", "other"]), 2);
}

#[test]
fn the_config_folder_comes_second() {
    let desk = Desk::empty().with("home/.config/countersign/countersign.yaml", GRAPH);
    assert_snapshot!(desk.run(&["check", "email", "read", "--explain"]), @"
    SILENT -- proceed
      because   your rules allow it
      to change above moderate risk it would have asked
      rule      email.read: autonomous, risk low, irreversible
      graph     HERE/home/.config/countersign/countersign.yaml (f00d5b…80918e)
    stderr: graph: HERE/home/.config/countersign/countersign.yaml (in your config folder)
    exit: 0
    ");
    let desk = Desk::empty().with("xdg/countersign/countersign.toml", "email = 1");
    let xdg = desk.path("xdg").display().to_string();
    let printed = desk.under("XDG_CONFIG_HOME", &xdg).run(&CHECK);
    assert!(printed.contains("HERE/xdg/countersign/countersign.toml:1:1"), "{printed}");
}

#[test]
fn a_config_folder_that_is_not_absolute_is_ignored() {
    let desk = Desk::empty().with("xdg/countersign/countersign.yaml", GRAPH);
    assert_eq!(desk.under("XDG_CONFIG_HOME", "xdg").code(&CHECK), 1);
}

#[test]
fn no_graph_at_all_says_what_to_do() {
    assert_snapshot!(Desk::empty().run(&CHECK), @"
    stderr: error: there is no graph in `HERE/home/.config/countersign`, so nothing is allowed
    stderr:   help: write one with `countersign graph new coding`, or name one with `--graph FILE`
    exit: 1
    ");
}

#[test]
fn two_graphs_in_one_folder_are_an_error_that_names_them() {
    let desk = Desk::empty().with("home/.config/countersign/countersign.yaml", GRAPH);
    let desk = desk.with("home/.config/countersign/countersign.json", "{}");
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: there are 2 graphs in one folder: `HERE/home/.config/countersign/countersign.yaml`, `HERE/home/.config/countersign/countersign.json`
    stderr:   help: keep one of them, or name one with `--graph FILE`
    exit: 1
    ");
}

#[test]
fn a_named_graph_is_used_even_if_there_are_others() {
    let desk = Desk::new().with("other/strict.yaml", "domains: {}\n");
    assert_eq!(desk.code(&["check", "email", "read", "--graph", "other/strict.yaml"]), 8);
}
