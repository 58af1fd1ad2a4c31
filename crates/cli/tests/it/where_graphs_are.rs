//! Where a graph is searched if no option names one.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;

const CHECK: [&str; 3] = ["check", "email", "read"];

#[test]
fn the_current_folder_comes_first() {
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
        let desk = Desk::empty().with(name, text);
        // It would be refused, if it were looked at.
        let desk = desk.with("home/.config/countersign/countersign.yaml", "nonsense");
        assert_eq!(desk.code(&CHECK), 0, "{name}");
    }
}

#[test]
fn the_config_folder_comes_second() {
    let desk = Desk::empty().with("home/.config/countersign/countersign.yaml", GRAPH);
    assert_snapshot!(desk.run(&["check", "email", "read", "--explain"]), @"
    SILENT -- proceed
      because   email.read is autonomous
      otherwise above moderate risk it would have asked
      rule      email.read: autonomous, risk low, irreversible
      graph     HERE/home/.config/countersign/countersign.yaml (f00d5b…80918e)
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
    stderr:   help: write a `countersign.yaml`, or name a graph with `--graph FILE`
    exit: 1
    ");
}

#[test]
fn two_graphs_in_one_folder_are_an_error_that_names_them() {
    assert_snapshot!(Desk::new().with("countersign.json", "{}").run(&CHECK), @"
    stderr: error: there are 2 graphs in one folder: `countersign.yaml`, `countersign.json`
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
fn a_dangling_link_is_not_skipped() {
    let desk = Desk::empty().with("home/.config/countersign/countersign.yaml", GRAPH);
    std::os::unix::fs::symlink("gone.yaml", desk.path("countersign.yaml")).unwrap();
    assert_snapshot!(desk.run(&CHECK), @"
    stderr: error: cannot read `countersign.yaml`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
}
