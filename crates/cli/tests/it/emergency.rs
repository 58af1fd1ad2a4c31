//! What an operator does in a hurry: pause, revoke, and see what is wrong.

use crate::daemon::Daemon;
use crate::desk::Desk;
use std::process::Stdio;

fn own_agent() -> String {
    format!("uid-{}", rustix::process::geteuid().as_raw())
}

#[test]
fn a_pause_of_an_agent_that_nobody_has_seen_is_refused_with_the_nearest_names() {
    let daemon = Daemon::open();
    let agent = own_agent();
    let printed = daemon.desk.run(&["pause", &agent]);
    assert!(printed.contains(&format!("no agent named `{agent}` was ever seen")), "{printed}");
    assert!(printed.contains("countersign pause --all"), "{printed}");
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.desk.code(&["agent", "add", "coder"]), 0);
    let printed = daemon.desk.run(&["pause", "codr"]);
    assert!(printed.contains("did you mean `coder` or `uid-"), "{printed}");
    // An agent with a token counts as known.
    assert_eq!(daemon.desk.code(&["pause", "coder"]), 0);
    assert_eq!(daemon.desk.code(&["pause", &agent]), 0);
    assert_eq!(daemon.ask("email.read", "inbox"), 5);
    assert_eq!(daemon.desk.code(&["resume", "codr"]), 1);
    assert_eq!(daemon.desk.code(&["resume", &agent]), 0);
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
}

#[test]
fn a_pause_of_all_reaches_agents_that_come_later() {
    let mut daemon = Daemon::open();
    assert_eq!(daemon.desk.code(&["pause", "--all"]), 0);
    // It holds over a restart.
    daemon.restart();
    assert_eq!(daemon.ask("email.read", "inbox"), 5);
    assert!(daemon.desk.run(&["status"]).contains("\npaused: all agents\n"));
    let printed = daemon.desk.run(&["resume", &own_agent()]);
    assert!(printed.contains("all agents are still paused"), "{printed}");
    assert_eq!(daemon.desk.code(&["resume", "--all"]), 0);
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.desk.code(&["resume", "--all"]), 1);
    assert!(daemon.desk.run(&["log", "--verbose"]).contains("you paused all agents"));
    assert_eq!(daemon.desk.code(&["pause", "--all", "coder"]), 2);
}

#[test]
fn a_decline_after_a_yes_offers_the_command_that_takes_it_back() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "a"), 8);
    let request = daemon.waiting();
    assert_eq!(daemon.desk.code(&["approve", &request, "--session"]), 0);
    let printed = daemon.desk.run(&["decline", &request]);
    assert!(printed.contains("somebody has already allowed this"), "{printed}");
    let (_, command) = printed.split_once("run: countersign ").unwrap();
    let words: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    assert_eq!(daemon.desk.code(&words), 0, "{words:?}");
    assert_eq!(daemon.ask("email.delete", "b"), 8, "the yes is gone");
    let printed = daemon.desk.run(&["decline", &request]);
    assert!(printed.contains("there is nothing to revoke"), "{printed}");
}

#[test]
fn a_yes_can_last_any_time_up_to_a_day() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "a"), 8);
    let request = daemon.waiting();
    for wrong in ["25h", "0m", "soon", "-5m"] {
        assert_eq!(daemon.desk.code(&["approve", &request, "--for", wrong]), 2, "{wrong}");
    }
    let printed = daemon.desk.run(&["approve", &request, "--for", "2h"]);
    assert!(printed.contains("you allowed everything like \"Delete mail\", until 20"), "{printed}");
    let grants = daemon.desk.output(&["grants", "--json"]).stdout;
    let grants: serde_json::Value = serde_json::from_slice(&grants).unwrap();
    let time = |key: &str| {
        let text = grants["grants"][0][key].as_str().unwrap();
        countersign_core::model::time::Time::parse(text).unwrap().micros()
    };
    assert_eq!(time("ends_at") - time("granted_at"), 2 * 3600 * 1_000_000);
}

#[test]
fn a_record_that_cannot_be_written_shows_in_the_status_until_it_can() {
    let desk = Desk::new().under("COUNTERSIGN_DATA", "data");
    // A limit on the size of files stands for a full disk.
    let serve = desk.command(&["serve", "--no-http"]);
    let mut shell = desk.command(&[]);
    let line = format!(
        "trap '' XFSZ; ulimit -f 900; exec {} serve --no-http",
        shell.get_program().display()
    );
    drop(serve);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &line]).current_dir(desk.path("")).env_clear();
    limited.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut daemon = limited.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = std::io::BufReader::new(daemon.stdout.take().unwrap());
    let mut first = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut first).unwrap();
    assert!(first.starts_with("ready"), "{first}");
    shell.stdin(Stdio::null());
    let big = format!("{{\"text\": \"{}\"}}", "x".repeat(60_000));
    let ask = |number: usize| {
        let target = format!("t{number}");
        desk.code(&[
            "gate",
            "--session",
            "s",
            "--action",
            "email.delete",
            "--target",
            &target,
            "--args",
            &big,
        ])
    };
    let failed = (0..40).map(ask).find(|code| *code != 8);
    assert_eq!(failed, Some(1), "no write failed");
    let status = desk.run(&["status"]);
    assert!(status.contains("problem (record): "), "{status}");
    let pid = rustix::process::Pid::from_child(&daemon);
    let mut stderr = std::io::BufReader::new(daemon.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("problem: ") {
        line.clear();
        assert_ne!(std::io::BufRead::read_line(&mut stderr, &mut line).unwrap(), 0);
    }
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    daemon.wait().unwrap();
}
