//! Write, then run, through the daemon: a line whose files changed asks once, and its card shows what
//! changed.

use crate::daemon::Daemon;
use crate::desk::Desk;
use serde_json::json;

const GRAPH: &str = "\
domains:
  shell: {autonomous: [run], requires_approval: [], blocked: [], actions: {run: {risk: low}}}
tools: {Bash: {actions: [shell.run], command: /command}}
";

fn open() -> Daemon {
    let daemon = Daemon::on(Desk::new().with("countersign.yaml", GRAPH), &[]);
    std::fs::create_dir(daemon.desk.path("shop")).unwrap();
    write(&daemon, "all:\n\techo one\nclean:\n");
    daemon
}

fn write(daemon: &Daemon, text: &str) {
    std::fs::write(daemon.desk.path("shop/Makefile"), text).unwrap();
}

/// The exit code for `make` in the folder `shop`.
fn make(daemon: &Daemon) -> i32 {
    let shop = std::fs::canonicalize(daemon.desk.path("shop")).unwrap();
    let args = json!({"command": "make all"}).to_string();
    let words = ["gate", "--session", "s1", "--tool", "Bash", "--args", &args, "--cwd"];
    daemon.desk.code(&[&words[..], &[shop.to_str().unwrap()]].concat())
}

#[test]
fn a_changed_makefile_asks_once_and_the_card_and_why_say_what_changed() {
    let mut daemon = open();
    assert_eq!(make(&daemon), 0);
    write(&daemon, "all:\n\techo two\nclean:\n");
    assert_eq!(make(&daemon), 8);
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    for part in ["- \\techo one", "+ \\techo two", "has changed; a yes accepts it", "Makefile"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    assert!(!card.contains("clean"), "{card}");
    let why = daemon.desk.run(&["why", &daemon.waiting()]);
    assert!(why.contains("Makefile") && why.contains("changed_before_run"), "{why}");
    daemon.desk.run(&["approve", &daemon.waiting()]);
    assert_eq!(make(&daemon), 0);
    daemon.restart();
    assert_eq!(make(&daemon), 0, "a restart keeps what was seen");
    daemon.restart();
    write(&daemon, "all:\n\techo three\nclean:\n");
    assert_eq!(make(&daemon), 8);
    let card = daemon.desk.run(&["show", &daemon.waiting()]);
    assert!(card.contains("what it was is not kept") && card.contains("echo three"), "{card}");
}
