//! The daemon and the commands that speak with it, as one person uses them.

use crate::desk::{Desk, GRAPH, first_id, is_printed_id};
use countersign_api::{EventsQuery, LedgerPosition};
use countersign_client::{Connection, OperatorClient};
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::Duration;

pub struct Daemon {
    pub desk: Desk,
    process: Child,
}

impl Daemon {
    pub fn on(desk: Desk, words: &[&str]) -> Self {
        let desk = desk.under("COUNTERSIGN_DATA", "data");
        let process = Self::start(&desk, words);
        Self { desk, process }
    }

    fn start(desk: &Desk, words: &[&str]) -> Child {
        let mut command = desk.command(&[&["serve", "--no-http"], words].concat());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        assert!(first.starts_with("ready: agents at data/agent.sock"), "{first}");
        process
    }

    /// Ends it, and starts it again on the same record.
    pub fn restart(&mut self) {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
        assert!(self.process.wait().unwrap().success());
        self.process = Self::start(&self.desk, &[]);
    }

    pub fn open() -> Self {
        Self::on(Desk::new(), &[])
    }

    pub fn run(&self, words: &[&str]) -> String {
        masked(&self.desk.run(words))
    }

    pub fn ask(&self, action: &str, target: &str) -> i32 {
        self.desk.code(&["gate", "--session", "s1", "--action", action, "--target", target])
    }

    /// The short id of the one request that waits.
    pub fn waiting(&self) -> String {
        let listed = self.desk.run(&["ls", "--json"]);
        first_id(&listed, 'r').unwrap().get(..7).unwrap().to_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = Pid::from_child(&self.process);
        let ended =
            kill_process(pid, Signal::INT).is_ok() && self.process.wait().unwrap().success();
        if !std::thread::panicking() {
            assert!(ended && !self.desk.path("data/operator.sock").exists());
        }
    }
}

/// Ids, digests, users and instants are others every time, and so are the widths of columns.
fn masked(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("   ") {
        text = text.replace("   ", "  ");
    }
    let words = text.split_inclusive([' ', '\n', ',', ']', ')', '`']);
    words
        .map(|word| {
            let bare = word.trim_end_matches([' ', '\n', ',', ']', ')', '`']);
            let end = word.get(bare.len()..).unwrap();
            let is_hex = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_hexdigit());
            match bare {
                bare if is_printed_id(bare, 33) && bare.starts_with('g') => format!("GRANT{end}"),
                bare if is_printed_id(bare, 33) && bare.starts_with('r') => format!("REQUEST{end}"),
                bare if is_printed_id(bare, 7) => format!("ID{end}"),
                bare if bare.contains('…') => format!("DIGEST{end}"),
                bare if bare.starts_with("20") && bare.ends_with('Z') => format!("TIME{end}"),
                bare if bare.starts_with("uid-") => format!("AGENT{end}"),
                bare if is_hex && (bare.len() == 6 || bare.len() == 64) => format!("ID{end}"),
                bare => format!("{bare}{end}"),
            }
        })
        .collect()
}

#[test]
fn a_script_asks_and_a_person_answers() {
    let daemon = Daemon::open();
    assert_snapshot!(daemon.run(&["status"]), @"
    running, version 0.1.0, assurance L0
    graph HERE/countersign.yaml, in force since TIME DIGEST)
    no review is ever due
    requests that wait for your answer: 0
    open notices: 0
    your presence is unknown: no surface reports it
    agents at data/agent.sock
    operator at data/operator.sock
    Countersign cannot stop a program that runs as your own user and bypasses it
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["ls"]), @"
    no request waits for an answer
    exit: 0
    ");
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.ask("email.wipe", "inbox"), 5);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    assert_snapshot!(daemon.run(&["ls"]), @"
    ID  RISK  WANTS TO  AGENT  UNTIL
    ID  moderate  Delete mail: letter  AGENT  TIME
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["show", &daemon.waiting()]), @r#"
    MODERATE risk
    Delete mail: letter
    target: letter
    effect: unknown
    agent: AGENT
    session: s1
    started by: agent
    choice once: this exact call, once
    choice 15m: everything like "Delete mail", for 15 minutes
    choice session: everything like "Delete mail", for this session, a day at most
    choice project: everything like "Delete mail", for this session, because it belongs to no project
    choice decline: nothing; the agent is told
    asked because you haven't allowed "Delete mail" yet
    digest: DIGEST
    request: REQUEST, open until TIME
    exit: 0
    "#);
    let id = daemon.waiting();
    assert_eq!(daemon.desk.code(&["approve", &id, "--note", "fine"]), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    assert_eq!(daemon.desk.code(&["decline", &daemon.waiting(), "--note", "enough"]), 0);
    assert_eq!(daemon.ask("email.delete", "letter"), 3);
    assert_eq!(daemon.desk.code(&["ledger", "verify"]), 0);
    assert_eq!(daemon.desk.code(&["ledger", "replay"]), 0);
}

#[test]
fn a_critical_request_needs_a_typed_confirmation() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.pay", "acme"), 8);
    let id = daemon.waiting();
    assert_snapshot!(daemon.run(&["approve", &id]), @r#"
    CRITICAL risk, can't be undone
    Pay (email): acme
    payee: acme
    effect: spends an unknown amount to acme
    agent: AGENT
    session: s1
    started by: agent
    choice once: this exact call, once
    choice decline: nothing; the agent is told
    to say yes, type the target: acme
    asked because you haven't allowed "Pay (email)" yet
    digest: DIGEST
    request: REQUEST, open until TIME
    stderr: error: this is critical: what the card asks for has to be typed
    stderr:  help: answer in `countersign watch`, or send it as `confirm`: `countersign approve REQUEST --confirm TEXT`
    exit: 1
    "#);
    assert_eq!(daemon.desk.code(&["approve", &id, "--confirm", "yes"]), 1);
    assert_eq!(daemon.desk.code(&["approve", &id, "--confirm", "acme"]), 0);
}

#[test]
fn a_grant_is_revoked() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "a"), 8);
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting(), "--session"]), 0);
    assert_eq!(daemon.ask("email.delete", "b"), 0);
    assert_snapshot!(daemon.run(&["grants"]), @r#"
    ID  COVERS  SCOPE  AGENT  GRANTED  SOURCE  USED  STATE
    ID  everything like "Delete mail"  session  AGENT  TIME  your answer  1×, TIME by ID  until TIME
    exit: 0
    "#);
    assert_snapshot!(daemon.run(&["revoke", "--all"]), @"
    1 grant was revoked
    exit: 0
    ");
    assert_snapshot!(daemon.run(&["revoke", "--all"]), @"
    there was no such grant in force
    exit: 0
    ");
    assert_eq!(daemon.ask("email.delete", "c"), 8);
}

#[test]
fn a_paused_agent_is_denied() {
    let daemon = Daemon::open();
    let agent = format!("uid-{}", rustix::process::geteuid().as_raw());
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    assert_eq!(daemon.desk.code(&["pause", &agent]), 0);
    assert_eq!(daemon.ask("email.read", "inbox"), 5);
    assert_eq!(daemon.desk.code(&["resume", &agent]), 0);
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
}

#[test]
fn without_an_operator_a_call_that_asks_is_denied() {
    let daemon = Daemon::on(Desk::new(), &["--headless"]);
    assert_eq!(daemon.ask("email.delete", "a"), 9);
    assert_eq!(daemon.ask("email.read", "a"), 0);
}

#[test]
fn an_invalid_changed_graph_is_not_loaded_and_the_operator_is_alerted() {
    let daemon = Daemon::open();
    let broken = GRAPH.replace("blocked: [wipe", "blocked: [read, wipe");
    std::fs::write(daemon.desk.path("countersign.yaml"), broken).unwrap();
    let socket = daemon.desk.path("data/operator.sock");
    let operator = OperatorClient::new(Connection::new(&socket, Duration::from_secs(20)));
    let query = EventsQuery { from: LedgerPosition::new(1), surface: None };
    let mut events = operator.events(&query).unwrap().map(Result::unwrap);
    let raised = events.find(|event| event.data.kind.word() == "notice_raised").unwrap();
    assert_eq!(raised.data.notice.unwrap().cause.word(), "graph_refused");
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    let stricter = GRAPH.replace("autonomous: [read]", "autonomous: []");
    let stricter = stricter.replace("blocked: [wipe", "blocked: [read, wipe");
    std::fs::write(daemon.desk.path("countersign.yaml"), stricter).unwrap();
    events.find(|event| event.data.kind.word() == "graph_loaded").unwrap();
    assert_eq!(daemon.ask("email.read", "inbox"), 5);
}

#[test]
fn without_a_graph_a_starter_graph_is_created() {
    let daemon = Daemon::on(Desk::empty(), &[]);
    assert!(daemon.desk.text("data/countersign.yaml").contains("domains:"));
    assert_eq!(daemon.desk.code(&["status"]), 0);
}

#[test]
fn without_a_daemon_every_command_says_how_to_start_one() {
    let desk = Desk::new();
    assert_snapshot!(desk.run(&["ls", "--data", "data"]), @"
    stderr: error: no daemon answers at `data/operator.sock`; `countersign serve` starts it
    stderr:   help: or name the folder of one that runs with `--data`
    exit: 1
    ");
    for words in [&["status"][..], &["show", "abcdef"], &["approve", "abcdef"], &["grants"]] {
        assert_eq!(desk.code(&[words, &["--data", "data"]].concat()), 1, "{words:?}");
    }
    let gate = ["gate", "--session", "s1", "--action", "email.read", "--data", "data"];
    assert_eq!(desk.code(&gate), 1);
}

#[test]
fn a_second_daemon_on_the_same_folder_is_refused() {
    let daemon = Daemon::open();
    assert_eq!(daemon.desk.code(&["serve", "--no-http"]), 1);
    assert_eq!(daemon.desk.code(&["status"]), 0);
}

#[test]
fn different_mistakes_have_different_messages() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "a"), 8);
    assert_eq!(daemon.desk.code(&["approve", "nosuch"]), 2);
    assert_eq!(daemon.desk.code(&["approve", "0"]), 2);
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting(), "--for", "2d"]), 2);
    assert_eq!(daemon.desk.code(&["approve", &daemon.waiting(), "--task"]), 1);
    let secret = "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    assert_eq!(daemon.desk.code(&["decline", &daemon.waiting(), "--note", secret]), 1);
    let args = ["gate", "--session", "s1", "--tool", "Bash", "--args", "{\"a\":1,\"a\":2}"];
    assert_eq!(daemon.desk.code(&args), 2);
    assert_eq!(daemon.desk.code(&["revoke"]), 2);
    assert_eq!(daemon.desk.code(&["ls"]), 0);
}

#[test]
fn a_missing_record_beside_credentials_is_not_replaced_in_silence() {
    let daemon = Daemon::open();
    let token = daemon.desk.text("data/operator.token");
    drop(daemon);
    let desk = Desk::new().under("COUNTERSIGN_DATA", "data").with("data/operator.token", token);
    for (name, mode) in [("data", 0o700), ("data/operator.token", 0o600)] {
        std::fs::set_permissions(desk.path(name), Permissions::from_mode(mode)).unwrap();
    }
    assert_snapshot!(desk.run(&["serve", "--no-http"]), @"
    stderr: error: the record `data/countersign.db` is missing, but `operator.token` beside it says that there was one
    stderr:   help: restore it from a backup; to go on without its grants, revocations and ledger, run `countersign serve --new-record`
    exit: 1
    ");
    let doctor = desk.run(&["doctor"]);
    assert!(doctor.contains("problem  record: the record `data/countersign.db` is missing"));
    let desk = desk.with("data/countersign.db", "");
    assert_eq!(desk.code(&["serve", "--no-http"]), 1, "an empty file is no record");
    let daemon = Daemon::on(desk, &["--new-record"]);
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    let desk = &daemon.desk;
    assert_eq!(desk.code(&["ledger", "verify"]), 0);
}

#[test]
fn a_graph_that_has_vanished_is_an_error() {
    let name = "home/.config/countersign/countersign.yaml";
    let mut daemon = Daemon::on(Desk::empty().with(name, GRAPH), &[]);
    kill_process(Pid::from_child(&daemon.process), Signal::INT).unwrap();
    assert!(daemon.process.wait().unwrap().success());
    let file = daemon.desk.path(name);
    std::fs::remove_file(&file).unwrap();
    let printed = daemon.desk.run(&["serve", "--no-http"]);
    assert!(printed.contains("so nothing is allowed"), "{printed}");
    assert!(printed.ends_with("exit: 1"), "{printed}");
    assert!(!daemon.desk.path("data/countersign.yaml").exists());
    std::fs::write(&file, GRAPH).unwrap();
    daemon.process = Daemon::start(&daemon.desk, &[]);
}

#[test]
fn a_restart_keeps_what_waits_and_a_stop_ends_the_daemon() {
    let daemon = Daemon::open();
    assert_eq!(daemon.ask("files.delete", "a.txt"), 8);
    let waiting = daemon.waiting();
    let shown = daemon.desk.run(&["restart"]);
    assert!(shown.starts_with("the daemon runs again (process "), "{shown}");
    assert_eq!(daemon.waiting(), waiting);
    let shown = daemon.desk.run(&["stop"]);
    assert!(shown.starts_with("stopped the daemon (process "), "{shown}");
    assert!(shown.contains("countersign pause --all"), "{shown}");
    assert_eq!(daemon.desk.code(&["status"]), 1);
    assert_eq!(daemon.desk.run(&["stop"]), "no daemon runs for data\nexit: 0");
    assert_eq!(daemon.desk.code(&["restart"]), 1);
}
