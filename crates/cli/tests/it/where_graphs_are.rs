//! Where a graph is searched if no option names one.

use crate::daemon::Daemon;
use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;

const CHECK: [&str; 3] = ["check", "email", "read"];

/// A desk whose graph is only found in the folder.
fn open_desk_with(name: &str, text: &str) -> Desk {
    Desk::empty().without_named_graph().with(name, text)
}

#[test]
fn a_graph_in_the_working_folder_counts_only_after_it_is_trusted() {
    for (name, text) in [
        ("countersign.yaml", GRAPH),
        ("countersign.yml", GRAPH),
        (
            "countersign.json",
            r#"{"email": {"autonomous": ["read"], "requires_approval": [], "blocked": []}}"#,
        ),
        (
            "countersign.toml",
            "[email]\nautonomous = [\"read\"]\nrequires_approval = []\nblocked = []\n",
        ),
    ] {
        let desk = open_desk_with(name, text);
        assert_eq!(desk.code(&CHECK), 1, "{name}");
        assert_eq!(desk.code(&["graph", "trust", "--yes"]), 0, "{name}");
        assert_eq!(desk.code(&CHECK), 0, "{name}");
    }
}

#[test]
fn a_change_or_a_deletion_asks_for_trust_again() {
    let desk = open_desk_with("countersign.yaml", GRAPH);
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: `countersign.yaml` is not used, because you have not trusted it
    stderr:   help: read it, then run `countersign graph trust`; or name it with `--graph countersign.yaml`
    exit: 1
    ");
    // Without a terminal nobody can be asked.
    assert_eq!(desk.code(&["graph", "trust"]), 2);
    assert_snapshot!(desk.run(&["graph", "trust", "--yes"]), @"
    countersign.yaml lets agents do this without asking:
      email: read
    countersign.yaml: trusted, until it changes
    exit: 0
    ");
    assert_snapshot!(desk.run(&["graph", "trust", "--yes"]), @"
    countersign.yaml: you trust this version already
    exit: 0
    ");
    assert_snapshot!(desk.run(&CHECK), @"
    SILENT -- proceed
    stderr: graph: countersign.yaml (in this folder, trusted)
    exit: 0
    ");
    // A graph elsewhere does not step in for one that an agent has changed.
    let desk = desk.with("home/.config/countersign/countersign.yaml", GRAPH);
    let desk = desk.with("countersign.yaml", GRAPH.replace("[read]", "[read, archive]"));
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: `countersign.yaml` has changed since you trusted it, so it is not used
    stderr:   help: look at the change, then run `countersign graph trust`; or run `countersign graph trust --remove`
    exit: 1
    ");
    std::fs::remove_file(desk.path("countersign.yaml")).unwrap();
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: `countersign.yaml` has been removed since you trusted it, so it is not used
    stderr:   help: look at the change, then run `countersign graph trust`; or run `countersign graph trust --remove`
    exit: 1
    ");
    assert_eq!(desk.code(&["graph", "trust", "--remove"]), 0);
    assert_eq!(desk.code(&["graph", "trust", "--remove"]), 2);
    assert_eq!(desk.code(&CHECK), 0);
}

#[test]
fn trust_covers_the_policies() {
    let policy = "@id(\"x\") forbid (principal, action in Action::\"email\", resource) \
                  when { context.facts.secret };";
    let graph = format!("rules: policies\n{GRAPH}");
    let desk = open_desk_with("countersign.yaml", &graph).with("policies/a.cedar", policy);
    assert_eq!(desk.code(&["graph", "trust", "--yes"]), 0);
    assert_eq!(desk.code(&CHECK), 0);
    let desk = desk.with("policies/b.cedar", policy.replace("\"x\"", "\"y\""));
    assert_eq!(desk.code(&CHECK), 1);
}

#[test]
fn the_list_of_trusted_graphs_is_private_and_refused_if_others_can_write_it() {
    use std::os::unix::fs::PermissionsExt;
    let desk = open_desk_with("countersign.yaml", GRAPH).under("COUNTERSIGN_DATA", "data");
    assert_eq!(desk.code(&["graph", "trust", "--yes"]), 0);
    let list = desk.path("data/trusted-graphs.json");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!((mode(&list) & 0o777, mode(&desk.path("data")) & 0o777), (0o600, 0o700));
    std::fs::set_permissions(&list, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(desk.code(&CHECK), 1);
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
    stderr: error: there is no graph in this folder or `HERE/home/.config/countersign`, so nothing is allowed
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

#[cfg(unix)]
#[test]
fn a_dangling_link_is_reported() {
    let desk = Desk::empty()
        .without_named_graph()
        .with("home/.config/countersign/countersign.yaml", GRAPH);
    std::os::unix::fs::symlink("gone.yaml", desk.path("countersign.yaml")).unwrap();
    assert_snapshot!(desk.run(&CHECK), @"
    SILENT -- proceed
    stderr: not used: `countersign.yaml` in this folder, because you have not trusted it; to use it, read it and run `countersign graph trust`
    stderr: graph: HERE/home/.config/countersign/countersign.yaml (in your config folder)
    exit: 0
    ");
}
