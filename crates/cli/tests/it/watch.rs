//! `watch` at a real terminal, against the real daemon.

use crate::daemon::Daemon;
use crate::desk::Desk;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, write};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

/// A pseudo-terminal in which a command runs.
pub struct TestTerminal {
    keys: OwnedFd,
    terminal: OwnedFd,
    process: Child,
    screen: String,
}

impl TestTerminal {
    pub fn open(desk: &Desk, words: &[&str], term: &str) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let terminal = open(name.as_c_str(), flags, Mode::empty()).unwrap();
        let end = || Stdio::from(terminal.try_clone().unwrap());
        let mut command = desk.command(words);
        command.env("TERM", term).stdin(end()).stdout(end()).stderr(end());
        let process = command.spawn().unwrap();
        Self { keys, terminal, process, screen: String::new() }
    }

    pub fn watch(desk: &Desk) -> Self {
        let mut terminal = Self::open(desk, &["watch", "--plain"], "xterm");
        terminal.expect("watching; ");
        terminal
    }

    /// Reads until this text appears. Returns the screen before it, and drops both.
    pub fn expect(&mut self, text: &str) -> String {
        loop {
            if let Some((before, rest)) = self.screen.split_once(text) {
                let (before, rest) = (before.to_owned(), rest.to_owned());
                self.screen = rest;
                return before;
            }
            assert!(self.read_more(20_000), "`{text}` does not appear: {}", self.screen);
        }
    }

    /// Whether more output came within this time.
    fn read_more(&mut self, millis: i64) -> bool {
        let time = Timespec { tv_sec: millis / 1_000, tv_nsec: millis % 1_000 * 1_000_000 };
        let mut fds = [PollFd::new(&self.keys, PollFlags::IN)];
        if poll(&mut fds, Some(&time)).unwrap() == 0 {
            return false;
        }
        let mut buffer = [0; 4096];
        let count = read(&self.keys, &mut buffer).unwrap_or(0);
        self.screen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        count > 0
    }

    /// Types like a person: each key after the previous one was echoed and the screen is still.
    pub fn type_keys(&mut self, text: &str) {
        for byte in text.bytes() {
            write(&self.keys, &[byte]).unwrap();
            // Some keys show nothing.
            if self.read_more(500) {
                while self.read_more(25) {}
            }
        }
    }

    fn paste(&mut self, bytes: &[u8]) {
        write(&self.keys, bytes).unwrap();
        while self.read_more(25) {}
    }

    fn is_plain(&self) -> bool {
        tcgetattr(&self.terminal)
            .unwrap()
            .local_modes
            .contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    pub fn wait_for_exit(&mut self) -> i32 {
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code().expect("it was killed");
            }
            self.read_more(25);
        }
    }
}

impl Drop for TestTerminal {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// The short form of the id on a card.
fn shown_id(card: &str) -> String {
    let is_id = |word: &&str| word.len() == 7 && word.starts_with('r');
    let plain = card.split("request: ").nth(1).and_then(|id| id.get(..7));
    let id = plain.or_else(|| card.split([' ', '\r', '\n']).find(is_id));
    id.unwrap_or_else(|| panic!("{card}")).to_owned()
}

/// How many requests wait.
fn open_requests(desk: &Desk) -> usize {
    desk.run(&["ls", "--json"]).matches("\"request\":").count()
}

#[test]
fn a_typed_word_answers_a_card() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::watch(&daemon.desk);
    assert!(!terminal.is_plain());
    // Half a word, and then the card.
    terminal.type_keys("ye");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    terminal.expect("MODERATE risk");
    terminal.expect("Delete mail: letter");
    terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("s\r");
    terminal.expect("you were typing when this was shown");
    assert_eq!(open_requests(&daemon.desk), 1);
    terminal.expect("Allow delete mail: letter? ");
    terminal.paste(b"\x1b[200~y\r\x1b[201~\r");
    terminal.expect("that was pasted");
    terminal.expect("Allow delete mail: letter? ");
    terminal.paste(b"y\r");
    terminal.expect("faster than anybody types");
    terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("\r\r\r");
    assert_eq!(open_requests(&daemon.desk), 1);
    terminal.type_keys("y\r");
    terminal.expect("you allowed email.delete, once");
    assert_eq!(daemon.ask("email.delete", "letter"), 0);
    terminal.type_keys("/grants\r");
    terminal.expect(", used 1 time\r\n");
    terminal.type_keys("/quit\r");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.is_plain());
}

#[test]
fn a_card_on_the_full_screen_is_answered_by_a_typed_word() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::open(&daemon.desk, &["watch"], "xterm");
    terminal.expect("nothing waits");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    terminal.expect("MODERATE");
    terminal.expect("Allow?");
    // A word that is typed right after the card appeared does not count.
    let is_answered = (0..100).any(|_| {
        terminal.type_keys("y\r");
        open_requests(&daemon.desk) == 0
    });
    assert!(is_answered);
    assert_eq!(daemon.ask("email.delete", "letter"), 0);
    terminal.type_keys("/quit\r");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.is_plain());
}

#[test]
fn a_critical_request_is_confirmed_by_typing_and_a_decline_carries_its_note() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::watch(&daemon.desk);
    assert_eq!(daemon.ask("email.pay", "acme"), 8);
    terminal.expect("Type the target, or n: ");
    terminal.type_keys("y\r");
    terminal.expect("this is critical: to allow it, type the target: acme");
    assert_eq!(open_requests(&daemon.desk), 1);
    terminal.type_keys("acme\r");
    terminal.expect("you allowed email.pay, once");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("n: ask me on Friday\r");
    terminal.expect("you declined email.delete");
    assert!(daemon.desk.run(&["why", "--last-asked"]).contains("ask me on Friday"));
}

#[test]
fn blocked_calls_and_answers_from_elsewhere_are_shown() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::watch(&daemon.desk);
    assert_eq!(daemon.ask("email.wipe", "inbox"), 5);
    terminal.expect("email.wipe is blocked by the graph");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    let id = shown_id(&terminal.expect("Allow delete mail: letter? "));
    assert_eq!(daemon.desk.code(&["decline", &id]), 0);
    terminal.expect(&format!("{id} was answered on command-line at 20"));
    terminal.expect("Z: declined");
    let log = daemon.desk.run(&["ledger", "query", "--kind", "request_delivered", "--json"]);
    assert!(log.contains("\"surface\":\"terminal-") && log.contains("requested"), "{log}");
}

#[test]
fn without_a_terminal_it_only_shows() {
    let daemon = Daemon::open();
    let mut command = daemon.desk.command(&["watch"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut process = spawned.unwrap();
    let mut typed = process.stdin.take().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    typed.write_all(b"y\ny\n").unwrap();
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    lines.find(|line| line == "Delete mail: letter").unwrap();
    let digest = lines.find(|line| line.starts_with("request: r")).unwrap();
    assert!(!digest.contains('\u{1b}'));
    typed.write_all(b"y\nonce\n").unwrap();
    assert_eq!(daemon.ask("email.delete", "other"), 8);
    lines.find(|line| line == "target: other").unwrap();
    assert_eq!(open_requests(&daemon.desk), 2);
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    assert!(process.wait().unwrap().success());
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::open(&daemon.desk, &["watch"], "dumb");
    terminal.expect("watching; ");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    let card = terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("sx\x7f\r");
    let rest = terminal.expect("you allowed everything like \"Delete mail\", session");
    assert!(![card, rest].concat().contains(['\u{1b}', '\u{8}']));
}

#[test]
fn a_daemon_restart_loses_nothing() {
    let mut daemon = Daemon::open();
    let mut terminal = TestTerminal::watch(&daemon.desk);
    assert_eq!(daemon.ask("email.delete", "first"), 8);
    terminal.expect("first\r\n");
    daemon.restart();
    terminal.expect("lost the daemon");
    terminal.expect("the daemon is back");
    assert_eq!(daemon.ask("email.delete", "second"), 8);
    let meanwhile = terminal.expect("next, r");
    assert!(!meanwhile.contains("MODERATE"), "{meanwhile}");
    terminal.expect("Allow delete mail: first? (1 more) ");
    terminal.type_keys("y\r");
    terminal.expect("you allowed email.delete, once");
    terminal.expect("Delete mail: second");
}

/// Waits until the daemon reports this presence of the operator.
fn wait_for_presence(desk: &Desk, word: &str) {
    let status = || desk.run(&["status", "--json"]);
    let is_present = |status: &str| status.contains(&format!("\"presence\":\"{word}\""));
    assert!((0..200).any(|_| is_present(&status())), "{word}: {}", status());
}

#[test]
fn the_operator_is_present_while_one_terminal_reports_it() {
    let mut daemon = Daemon::open();
    let mut first = TestTerminal::watch(&daemon.desk);
    wait_for_presence(&daemon.desk, "active");
    let mut second = TestTerminal::watch(&daemon.desk);
    second.type_keys("/quit\r");
    assert_eq!(second.wait_for_exit(), 0);
    wait_for_presence(&daemon.desk, "active");
    daemon.restart();
    first.expect("the daemon is back");
    wait_for_presence(&daemon.desk, "active");
    first.process.kill().unwrap();
    wait_for_presence(&daemon.desk, "unknown");
}

/// What `watch --json` prints.
struct JsonWatch {
    process: Child,
    lines: Box<dyn Iterator<Item = Value>>,
}

impl JsonWatch {
    fn start(desk: &Desk) -> Self {
        let mut process =
            desk.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let lines = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        Self { process, lines: Box::new(lines) }
    }

    /// All lines up to the first of this kind.
    fn lines_until(&mut self, kind: &str) -> Vec<Value> {
        let mut all = Vec::new();
        while all.last().is_none_or(|last: &Value| last["kind"] != kind) {
            all.push(self.lines.next().unwrap());
        }
        all
    }
}

impl Drop for JsonWatch {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

#[test]
fn json_lines_continue_after_the_last_one_when_the_daemon_is_back() {
    let mut daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "first"), 8);
    let mut watch = JsonWatch::start(&daemon.desk);
    let waits = watch.lines_until("request_waits").remove(0);
    assert!(waits["data"]["card"]["request"].is_string(), "{waits}");
    // Nothing has come yet, and still nothing of what comes meanwhile is missed.
    daemon.restart();
    assert_eq!(daemon.ask("email.delete", "second"), 8);
    let lost = watch.lines_until("connection_lost");
    assert!(lost.len() == 1 && lost[0]["data"]["why"].is_string(), "{lost:?}");
    let back = watch.lines_until("connection_regained");
    let from = back[0]["data"]["from"].as_u64().unwrap();
    assert_eq!(daemon.ask("email.delete", "third"), 8);
    let mut seen = [back, watch.lines_until("request_opened")].concat();
    assert_eq!(seen[1]["seq"], from);
    daemon.restart();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    seen.extend(watch.lines_until("connection_regained"));
    assert_eq!(daemon.ask("email.wipe", "inbox"), 5);
    seen.extend(watch.lines_until("notice_raised"));
    let positions: Vec<u64> = seen.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(positions, (from..from + positions.len() as u64).collect::<Vec<_>>());
    let count = |kind: &str| seen.iter().filter(|line| line["kind"] == kind).count();
    let kinds = ["connection_lost", "connection_regained", "restarted", "request_opened"];
    assert_eq!(kinds.map(count), [1, 2, 2, 2]);
}

#[test]
fn a_signal_restores_the_terminal() {
    let daemon = Daemon::open();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut terminal = TestTerminal::watch(&daemon.desk);
        assert!(!terminal.is_plain());
        kill_process(Pid::from_child(&terminal.process), signal).unwrap();
        assert_eq!(terminal.wait_for_exit(), 0);
        assert!(terminal.is_plain(), "{signal:?}");
    }
}

#[test]
fn a_script_at_a_terminal_is_answered_at_that_terminal() {
    let daemon = Daemon::open();
    let gate = ["gate", "--session", "s1", "--action", "email.delete", "--target", "letter"];
    let mut terminal = TestTerminal::open(&daemon.desk, &gate, "xterm");
    terminal.expect("! MODERATE");
    terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("y\r");
    terminal.expect("you allowed email.delete, once");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.is_plain());
    // Somebody else may be faster.
    let mut terminal = TestTerminal::open(&daemon.desk, &gate, "xterm");
    let id = shown_id(&terminal.expect("Allow delete mail: letter? "));
    assert_eq!(daemon.desk.code(&["decline", &id]), 0);
    terminal.expect("was answered on command-line");
    assert_eq!(terminal.wait_for_exit(), 3);
    // Going away is no answer.
    let other = ["gate", "--session", "s1", "--action", "email.delete", "--target", "other"];
    let mut terminal = TestTerminal::open(&daemon.desk, &other, "xterm");
    terminal.expect("Allow delete mail: other? ");
    terminal.type_keys("\x04");
    assert_eq!(terminal.wait_for_exit(), 8);
    assert_eq!(open_requests(&daemon.desk), 1);
    let mut terminal =
        TestTerminal::open(&daemon.desk, &[&other[..], &["--wait", "1"]].concat(), "xterm");
    assert_eq!(terminal.wait_for_exit(), 8);
}

/// Whether the kernel says that a process is stopped.
fn is_stopped(process: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    stat.rsplit(") ").next().unwrap().starts_with('T')
}

#[test]
fn ctrl_z_restores_the_terminal_and_the_card_is_shown_again_afterwards() {
    let daemon = Daemon::open();
    let mut terminal = TestTerminal::watch(&daemon.desk);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    terminal.expect("Allow delete mail: letter? ");
    terminal.type_keys("y");
    kill_process(Pid::from_child(&terminal.process), Signal::TSTP).unwrap();
    while !is_stopped(&terminal.process) {
        terminal.read_more(25);
    }
    assert!(terminal.is_plain());
    terminal.paste(b"y\r");
    kill_process(Pid::from_child(&terminal.process), Signal::CONT).unwrap();
    terminal.expect("Delete mail: letter");
    terminal.expect("Allow delete mail: letter? ");
    assert!(!terminal.is_plain());
    terminal.type_keys("\r");
    assert_eq!(open_requests(&daemon.desk), 1);
    terminal.type_keys("y\r");
    terminal.expect("you allowed email.delete, once");
}

#[test]
fn after_the_answer_a_command_has_the_terminal_to_itself() {
    let daemon = crate::run::daemon();
    let mut terminal =
        TestTerminal::open(&daemon.desk, &["run", "--", "sh", "-c", "stty -a; echo ran"], "xterm");
    let card = terminal.expect(" why\r\n");
    terminal.expect("? ");
    assert!(card.contains("stty -a; echo ran"), "{card}");
    terminal.type_keys("y\r");
    let modes = terminal.expect("ran");
    assert!(modes.contains(" icanon") && modes.contains(" echo "), "{modes}");
    assert_eq!(terminal.wait_for_exit(), 0);
    let mut terminal = TestTerminal::open(&daemon.desk, &["run", "--", "echo", "ran"], "xterm");
    terminal.expect(" why\r\n");
    terminal.expect("? ");
    terminal.type_keys("n\r");
    terminal.expect("the operator declined this");
    assert_eq!(terminal.wait_for_exit(), 3);
}

/// A card that leaves lines out is not enough for a yes at high risk, and `v` is.
#[test]
fn a_long_call_of_high_risk_is_allowed_after_v() {
    let graph = "\
domains:
  shop: {autonomous: [], requires_approval: [order], blocked: [], actions: {order: {risk: high}}}
";
    let desk = Desk::new().with("countersign.yaml", graph).under("PAGER", "cat");
    let daemon = Daemon::on(desk, &[]);
    let mut terminal = TestTerminal::watch(&daemon.desk);
    let text: Vec<String> = (0..400).map(|n| format!("line {n}")).collect();
    let args = serde_json::json!({"text": text.join("\n")}).to_string();
    let words = ["gate", "--session", "s1", "--action", "shop.order", "--args", &args];
    assert_eq!(daemon.desk.code(&words), 8);
    terminal.expect("360 more lines");
    terminal.expect("Allow order (shop)? ");
    terminal.type_keys("y\r");
    terminal.expect("the whole call was not shown here");
    terminal.expect("request stays open");
    terminal.expect("Allow order (shop)? ");
    assert_eq!(open_requests(&daemon.desk), 1);
    terminal.type_keys("v\r");
    terminal.expect("| line 200\r\n");
    terminal.expect("Allow order (shop)? ");
    // What is typed while the card comes back does not count.
    terminal.type_keys("\r");
    terminal.type_keys("y\r");
    terminal.expect("you allowed shop.order");
    assert_eq!(open_requests(&daemon.desk), 0);
}
