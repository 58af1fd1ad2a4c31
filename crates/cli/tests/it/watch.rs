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

/// Somebody at a terminal in which a command runs.
struct Seat {
    keys: OwnedFd,
    terminal: OwnedFd,
    process: Child,
    screen: String,
}

impl Seat {
    fn at(desk: &Desk, words: &[&str], term: &str) -> Self {
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

    fn watching(desk: &Desk) -> Self {
        let mut seat = Self::at(desk, &["watch"], "xterm");
        seat.sees("watching; ");
        seat
    }

    /// Reads the screen until this is on it, behind what was looked for before.
    fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some((before, rest)) = self.screen.split_once(text) {
                let (before, rest) = (before.to_owned(), rest.to_owned());
                self.screen = rest;
                return before;
            }
            assert!(self.reads(20_000), "`{text}` does not come: {}", self.screen);
        }
    }

    /// Whether something more came within this time.
    fn reads(&mut self, millis: i64) -> bool {
        let time = Timespec { tv_sec: millis / 1_000, tv_nsec: millis % 1_000 * 1_000_000 };
        let mut fds = [PollFd::new(&self.keys, PollFlags::IN)];
        if poll(&mut fds, Some(&time)).unwrap() == 0 {
            return false;
        }
        let mut some = [0; 4096];
        let many = read(&self.keys, &mut some).unwrap_or(0);
        self.screen.push_str(&String::from_utf8_lossy(&some[..many]));
        many > 0
    }

    /// Types as a hand does: the next key when this one has been shown and the screen is still.
    fn types(&mut self, text: &str) {
        for byte in text.bytes() {
            write(&self.keys, &[byte]).unwrap();
            // Some keys show nothing.
            if self.reads(500) {
                while self.reads(25) {}
            }
        }
    }

    fn pastes(&mut self, bytes: &[u8]) {
        write(&self.keys, bytes).unwrap();
        while self.reads(25) {}
    }

    fn is_plain(&self) -> bool {
        tcgetattr(&self.terminal)
            .unwrap()
            .local_modes
            .contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    fn ends(&mut self) -> i32 {
        loop {
            if let Some(ended) = self.process.try_wait().unwrap() {
                return ended.code().expect("it was killed");
            }
            self.reads(25);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// How many requests wait.
fn open_requests(desk: &Desk) -> usize {
    desk.run(&["ls", "--json"]).matches("\"request\":").count()
}

#[test]
fn a_card_comes_and_a_typed_word_answers_it() {
    let daemon = Daemon::open();
    let mut seat = Seat::watching(&daemon.desk);
    assert!(!seat.is_plain());
    // Half a word, and then the card.
    seat.types("ye");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    seat.sees("MODERATE risk, can be undone\r\nDelete letter\r\n");
    seat.sees(", y is once: ");
    seat.types("s\r");
    seat.sees("you were typing when this was shown");
    assert_eq!(open_requests(&daemon.desk), 1);
    seat.sees(", y is once: ");
    seat.pastes(b"\x1b[200~y\r\x1b[201~\r");
    seat.sees("that was pasted");
    seat.sees(", y is once: ");
    seat.pastes(b"y\r");
    seat.sees("faster than anybody types");
    seat.sees(", y is once: ");
    seat.types("\r\r\r");
    assert_eq!(open_requests(&daemon.desk), 1);
    seat.types("y\r");
    seat.sees("you allowed email.delete, once");
    assert_eq!(daemon.ask("email.delete", "letter"), 0);
    seat.types("/grants\r");
    seat.sees(", used 1 time\r\n");
    seat.types("/quit\r");
    assert_eq!(seat.ends(), 0);
    assert!(seat.is_plain());
}

#[test]
fn something_critical_is_typed_and_a_no_brings_its_note() {
    let daemon = Daemon::open();
    let mut seat = Seat::watching(&daemon.desk);
    assert_eq!(daemon.ask("email.pay", "acme"), 8);
    seat.sees("type the target or n: ");
    seat.types("y\r");
    seat.sees("this is critical: to say yes, type the target: acme");
    assert_eq!(open_requests(&daemon.desk), 1);
    seat.types("acme\r");
    seat.sees("you allowed email.pay, once");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    seat.sees(", y is once: ");
    seat.types("n: ask me on Friday\r");
    seat.sees("you declined email.delete");
    assert!(daemon.desk.run(&["why", "--last-asked"]).contains("ask me on Friday"));
}

#[test]
fn what_is_blocked_is_told_and_what_is_answered_elsewhere_too() {
    let daemon = Daemon::open();
    let mut seat = Seat::watching(&daemon.desk);
    assert_eq!(daemon.ask("email.wipe", "inbox"), 5);
    seat.sees("email.wipe is blocked by the graph");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    let before = seat.sees(" waiting\r\n");
    let id = before.rsplit("request ").next().unwrap().get(..6).unwrap().to_owned();
    assert_eq!(daemon.desk.code(&["decline", &id]), 0);
    seat.sees(&format!("{id} was answered on command-line at 20"));
    seat.sees("Z: declined");
    let log = daemon.desk.run(&["ledger", "query", "--kind", "request_delivered", "--json"]);
    assert!(log.contains("\"surface\":\"terminal\"") && log.contains("requested"), "{log}");
}

#[test]
fn without_a_terminal_it_shows_and_answers_nothing() {
    let daemon = Daemon::open();
    let mut command = daemon.desk.command(&["watch"]);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut process = spawned.unwrap();
    let mut typed = process.stdin.take().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    typed.write_all(b"y\ny\n").unwrap();
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    lines.find(|line| line == "Delete letter").unwrap();
    let digest = lines.find(|line| line.starts_with("request: req_")).unwrap();
    assert!(!digest.contains('\u{1b}'));
    typed.write_all(b"y\nonce\n").unwrap();
    assert_eq!(daemon.ask("email.delete", "other"), 8);
    lines.find(|line| line == "path: other").unwrap();
    assert_eq!(open_requests(&daemon.desk), 2);
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    assert!(process.wait().unwrap().success());
}

#[test]
fn a_terminal_that_understands_nothing_gets_lines_alone() {
    let daemon = Daemon::open();
    let mut seat = Seat::at(&daemon.desk, &["watch"], "dumb");
    seat.sees("watching; ");
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    let card = seat.sees(", y is once: ");
    seat.types("sx\x7f\r");
    let rest = seat.sees("you allowed email.delete, session");
    assert!(![card, rest].concat().contains(['\u{1b}', '\u{8}']));
}

#[test]
fn a_daemon_that_goes_and_comes_back_costs_nothing() {
    let mut daemon = Daemon::open();
    let mut seat = Seat::watching(&daemon.desk);
    assert_eq!(daemon.ask("email.delete", "first"), 8);
    seat.sees("path: first");
    daemon.restart();
    seat.sees("lost the daemon");
    seat.sees("the daemon is back");
    assert_eq!(daemon.ask("email.delete", "second"), 8);
    let meanwhile = seat.sees("waits behind this");
    assert!(!meanwhile.contains("path: first"), "{meanwhile}");
    seat.sees(", y is once: ");
    seat.types("y\r");
    seat.sees("you allowed email.delete, once");
    seat.sees("path: second");
}

/// Waits until the daemon says this about whether somebody is there.
fn until_present(desk: &Desk, word: &str) {
    let status = || desk.run(&["status", "--json"]);
    let is_so = |said: &str| said.contains(&format!("\"presence\":\"{word}\""));
    assert!((0..200).any(|_| is_so(&status())), "{word}: {}", status());
}

#[test]
fn somebody_is_there_as_long_as_one_terminal_says_so() {
    let mut daemon = Daemon::open();
    let mut first = Seat::watching(&daemon.desk);
    until_present(&daemon.desk, "active");
    let mut second = Seat::watching(&daemon.desk);
    second.types("/quit\r");
    assert_eq!(second.ends(), 0);
    until_present(&daemon.desk, "active");
    daemon.restart();
    first.sees("the daemon is back");
    until_present(&daemon.desk, "active");
    first.process.kill().unwrap();
    until_present(&daemon.desk, "unknown");
}

/// What `watch --json` prints.
struct Printed {
    process: Child,
    lines: Box<dyn Iterator<Item = Value>>,
}

impl Printed {
    fn by(desk: &Desk) -> Self {
        let mut process =
            desk.command(&["watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let lines = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        Self { process, lines: Box::new(lines) }
    }

    /// All lines up to the first of this kind.
    fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut all = Vec::new();
        while all.last().is_none_or(|last: &Value| last["kind"] != kind) {
            all.push(self.lines.next().unwrap());
        }
        all
    }
}

impl Drop for Printed {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _ended = self.process.wait();
    }
}

#[test]
fn lines_for_programs_go_on_behind_the_last_one_when_the_daemon_comes_back() {
    let mut daemon = Daemon::open();
    assert_eq!(daemon.ask("email.delete", "first"), 8);
    let mut printed = Printed::by(&daemon.desk);
    let waits = printed.until("request_waits").remove(0);
    assert!(waits["data"]["card"]["request"].is_string(), "{waits}");
    // Nothing has come yet, and still nothing of what comes meanwhile is missed.
    daemon.restart();
    assert_eq!(daemon.ask("email.delete", "second"), 8);
    let lost = printed.until("connection_lost");
    assert!(lost.len() == 1 && lost[0]["data"]["why"].is_string(), "{lost:?}");
    let back = printed.until("connection_regained");
    let from = back[0]["data"]["from"].as_u64().unwrap();
    assert_eq!(daemon.ask("email.delete", "third"), 8);
    let mut seen = [back, printed.until("request_opened")].concat();
    assert_eq!(seen[1]["seq"], from);
    daemon.restart();
    assert_eq!(daemon.ask("email.read", "inbox"), 0);
    seen.extend(printed.until("connection_regained"));
    assert_eq!(daemon.ask("email.wipe", "inbox"), 5);
    seen.extend(printed.until("notice_raised"));
    let places: Vec<u64> = seen.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(places, (from..from + places.len() as u64).collect::<Vec<_>>());
    let many = |kind: &str| seen.iter().filter(|line| line["kind"] == kind).count();
    let kinds = ["connection_lost", "connection_regained", "restarted", "request_opened"];
    assert_eq!(kinds.map(many), [1, 2, 2, 2]);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let daemon = Daemon::open();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut seat = Seat::watching(&daemon.desk);
        assert!(!seat.is_plain());
        kill_process(Pid::from_child(&seat.process), signal).unwrap();
        assert_eq!(seat.ends(), 0);
        assert!(seat.is_plain(), "{signal:?}");
    }
}

#[test]
fn a_script_at_a_terminal_is_answered_where_it_asks() {
    let daemon = Daemon::open();
    let gate = ["gate", "--session", "s1", "--action", "email.delete", "--target", "letter"];
    let mut seat = Seat::at(&daemon.desk, &gate, "xterm");
    seat.sees("MODERATE risk, can be undone");
    seat.sees(", y is once: ");
    seat.types("y\r");
    seat.sees("you allowed email.delete, once");
    assert_eq!(seat.ends(), 0);
    assert!(seat.is_plain());
    // Somebody else may be faster.
    let mut seat = Seat::at(&daemon.desk, &gate, "xterm");
    let card = seat.sees(", y is once: ");
    let id = card.rsplit("answer ").next().unwrap().to_owned();
    assert_eq!(daemon.desk.code(&["decline", &id]), 0);
    seat.sees("was answered on command-line");
    assert_eq!(seat.ends(), 3);
    // Going away is no answer.
    let other = ["gate", "--session", "s1", "--action", "email.delete", "--target", "other"];
    let mut seat = Seat::at(&daemon.desk, &other, "xterm");
    seat.sees(", y is once: ");
    seat.types("\x04");
    assert_eq!(seat.ends(), 8);
    assert_eq!(open_requests(&daemon.desk), 1);
    let mut seat = Seat::at(&daemon.desk, &[&other[..], &["--wait", "1"]].concat(), "xterm");
    assert_eq!(seat.ends(), 8);
}

/// Whether the kernel says that a process is stopped.
fn is_stopped(process: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    stat.rsplit(") ").next().unwrap().starts_with('T')
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_the_card_is_shown_again_afterwards() {
    let daemon = Daemon::open();
    let mut seat = Seat::watching(&daemon.desk);
    assert_eq!(daemon.ask("email.delete", "letter"), 8);
    seat.sees(", y is once: ");
    seat.types("y");
    kill_process(Pid::from_child(&seat.process), Signal::TSTP).unwrap();
    while !is_stopped(&seat.process) {
        seat.reads(25);
    }
    assert!(seat.is_plain());
    seat.pastes(b"y\r");
    kill_process(Pid::from_child(&seat.process), Signal::CONT).unwrap();
    seat.sees("path: letter");
    seat.sees(", y is once: ");
    assert!(!seat.is_plain());
    seat.types("\r");
    assert_eq!(open_requests(&daemon.desk), 1);
    seat.types("y\r");
    seat.sees("you allowed email.delete, once");
}

#[test]
fn a_command_is_asked_about_at_the_terminal_and_then_has_it_to_itself() {
    let daemon = crate::run::daemon();
    let mut seat = Seat::at(&daemon.desk, &["run", "--", "sh", "-c", "stty -a; echo ran"], "xterm");
    let card = seat.sees(", y is once: ");
    assert!(card.contains("stty -a; echo ran"), "{card}");
    seat.types("y\r");
    let modes = seat.sees("ran");
    assert!(modes.contains(" icanon") && modes.contains(" echo "), "{modes}");
    assert_eq!(seat.ends(), 0);
    let mut seat = Seat::at(&daemon.desk, &["run", "--", "echo", "ran"], "xterm");
    seat.sees(", y is once: ");
    seat.types("n\r");
    seat.sees("the operator declined this");
    assert_eq!(seat.ends(), 3);
}
