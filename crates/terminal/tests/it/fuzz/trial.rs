//! One trial: random actions of the operator and random events.

use super::checker::{InputSource, LogEntry};
use super::pty::{ManualClock, PlantedBug, PtyConsole, TestPty, Watcher, watch_lines};
use super::rng::SeededRng;
use crate::cards::{ALL, question};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Ending, Presence};
use countersign_terminal::{
    AnswerOutcome, CardLayout, Colours, CompactLayout, Console, DeliverySubject, EraseMode,
    InputMode, OperatorBackend, PagerEnd, PanelLine, Prompt, PromptDriver, PromptEvent,
    QUIET_PERIOD, ReportedAnswer, SlashCommand, TypedAnswer,
};
use rustix::termios::{Winsize, tcsetwinsize};
use std::rc::Rc;

pub struct TrialRecord {
    pub log: Vec<LogEntry>,
    pub screen: String,
}

const STEPS: u64 = 40;
const WORDS: &[&str] = &[
    "y",
    "yes",
    "n",
    "s",
    "p",
    "once",
    "session",
    "project",
    "15m",
    "decline",
    "n: not now",
    "stop",
    "ls -la",
    "git push",
    "ok",
    "ok",
    "",
    "yy",
    "?",
    "?",
    "help",
    "why",
    "approve",
    "allow",
    "allow: please",
    "v",
    "foo",
    "nn",
    "42",
    "/help",
    "/grants",
    "42.00",
    "once 42.00",
    "later",
    "task",
    "u",
    "e",
    "w",
    "P",
    "pause",
    "/m",
    "/letter",
];
const PASTED: &[&str] =
    &["n: no", "y\r", "yes\r", "s\r", "once\r", "y", "ls\ry\r", "42.00\r", "n\r", "\r", "yes"];
const SEQUENCES: &[&[u8]] = &[
    b"\x1b[A",
    b"\x1b[B",
    b"\x1b[5~",
    b"\x1b[6~",
    b"\t",
    b"\x1b[1;5C",
    b"\x1bOP",
    b"\x1b[<0;3;4M",
    b"\x1b[M yy",
    b"\x1b]0;y\x07",
];

struct FakeDaemon {
    pty: Rc<TestPty>,
    rng: SeededRng,
}

impl OperatorBackend for FakeDaemon {
    fn send_answer(&mut self, answer: &TypedAnswer) -> AnswerOutcome {
        // The daemon takes time, and the operator may type in that time.
        self.pty.advance(self.rng.below(300));
        if self.rng.one_in(10) {
            return AnswerOutcome::Refused("not now".to_owned());
        }
        self.pty.log_entry(LogEntry::Answered { answer: answer.clone() });
        if self.rng.one_in(3) {
            let typed = *self.rng.pick(&["y", "\r", "y\r"]);
            self.pty.send(typed.as_bytes(), InputSource::Typed);
        }
        AnswerOutcome::Accepted(vec!["answered".to_owned()])
    }

    fn run_command(&mut self, _command: &SlashCommand) -> Vec<String> {
        vec!["nothing".to_owned()]
    }

    fn fetch_whole(&mut self, _request: &str) -> Result<Vec<String>, String> {
        self.pty.advance(self.rng.below(200));
        Ok((0..self.rng.below(60)).map(|n| format!("line {n}")).collect())
    }

    fn show_paged(&mut self, _lines: &[String]) -> Result<PagerEnd, String> {
        self.pty.advance(self.rng.below(2_000));
        Ok(PagerEnd::AllShown)
    }

    fn report_whole(&mut self, _request: &str) {}

    fn fetch_overview(&mut self) -> Vec<PanelLine> {
        vec![PanelLine::Heading("what runs".to_owned())]
    }

    fn report_presence(&mut self, _presence: Presence) {}

    fn report_delivery(&mut self, _subject: &DeliverySubject, _evidence: Evidence) {
        // A slow disk, right after the card was written.
        self.pty.advance(self.rng.below(30));
        if self.rng.one_in(20) {
            self.pty.send(b"y", InputSource::Typed);
        }
    }

    fn fetch_request(&mut self, _request: &str) -> Option<PromptEvent> {
        None
    }
}

/// How questions are shown in a trial.
pub trait TrialDisplay {
    type Console: Console;
    /// Recognises cards in what is written, and opens the prompt.
    fn watcher(&mut self, rng: &mut SeededRng) -> Watcher;
    fn open(&mut self, console: PtyConsole) -> (Prompt, Self::Console);
    /// Sets another size of the window. Returns whether the program is told.
    fn resize(&mut self, rng: &mut SeededRng) -> bool;
}

/// Lines, laid out or plain.
#[derive(Default)]
pub struct Lines {
    layout: Option<CardLayout>,
}

impl TrialDisplay for Lines {
    type Console = PtyConsole;

    fn watcher(&mut self, rng: &mut SeededRng) -> Watcher {
        self.layout = Some(random_layout(rng));
        watch_lines()
    }

    fn open(&mut self, console: PtyConsole) -> (Prompt, PtyConsole) {
        let layout = self.layout.clone().unwrap();
        let layout = Box::new(move || layout.clone());
        (Prompt::new(InputMode::Interactive, EraseMode::Backspace, layout), console)
    }

    fn resize(&mut self, _rng: &mut SeededRng) -> bool {
        false
    }
}

struct Trial<D: TrialDisplay> {
    pty: Rc<TestPty>,
    rng: SeededRng,
    display: D,
    driver: PromptDriver<D::Console, FakeDaemon, ManualClock>,
    open: Vec<String>,
    created: u64,
    asks_often: bool,
}

pub fn run_trial<D: TrialDisplay>(
    seed: u64,
    bug: Option<PlantedBug>,
    mut display: D,
) -> TrialRecord {
    let (pty, slave) = TestPty::open();
    let daemon = FakeDaemon { pty: Rc::clone(&pty), rng: SeededRng::new(!seed) };
    let clock = ManualClock { pty: Rc::clone(&pty), bug };
    let mut rng = SeededRng::new(seed);
    let watcher = display.watcher(&mut rng);
    let console = PtyConsole::new(Rc::clone(&pty), slave, watcher, bug);
    let (prompt, console) = display.open(console);
    let driver = PromptDriver::start(prompt, console, daemon, clock).unwrap();
    let asks_often = rng.one_in(4);
    let mut trial = Trial { pty, rng, display, driver, open: Vec::new(), created: 0, asks_often };
    for _ in 0..STEPS {
        trial.run_step();
        if trial.driver.prompt().is_finished() {
            break;
        }
    }
    let Trial { pty, driver, .. } = trial;
    drop(driver);
    let (log, screen) = (pty.log.take(), pty.screen.take());
    TrialRecord { log, screen }
}

/// Wide enough that the line by which a shown card is recognised does not wrap.
fn random_layout(rng: &mut SeededRng) -> CardLayout {
    if rng.one_in(2) {
        return CardLayout::Plain;
    }
    let width = usize::try_from(rng.between(60, 200)).unwrap();
    let colours = if rng.one_in(2) { Colours::Shown } else { Colours::Absent };
    let now = Time::from_micros(0);
    CardLayout::Compact(CompactLayout { width, now, home: None, colours })
}

impl<D: TrialDisplay> Trial<D> {
    fn run_step(&mut self) {
        match self.rng.below(21) {
            0..4 => self.open_card(),
            4 => self.close_card(),
            5 => self.raise_notice(),
            6..9 => self.type_line(),
            9..11 => self.answer_card(),
            11 => self.type_half_line(),
            12 => self.paste_with_brackets(),
            13 => self.paste_without_brackets(),
            14 => self.switch_focus(),
            15 => self.hammer_enter(),
            16 => self.send_sequence(),
            17 => self.rest(),
            18 => self.drop_connection(),
            19 => self.interrupt(),
            _ => self.resize_window(),
        }
    }

    /// Presses a key. The driver does not always read it at once.
    fn press_key(&mut self, byte: u8) {
        let interval = if self.rng.one_in(3) { (15, 60) } else { (60, 250) };
        self.pty.advance(self.rng.between(interval.0, interval.1));
        self.pty.send(&[byte], InputSource::Typed);
        if !self.rng.one_in(12) {
            self.poll();
        }
    }

    fn poll(&mut self) {
        self.driver.handle_input().unwrap();
        self.driver.tick().unwrap();
    }

    fn rest(&mut self) {
        for _ in 0..self.rng.below(4) {
            self.pty.advance(self.rng.between(50, 900));
            self.poll();
        }
    }

    fn type_line(&mut self) {
        let word = *self.rng.pick(WORDS);
        word.bytes().for_each(|byte| self.press_key(byte));
        if self.rng.one_in(8) {
            self.press_key(0x7f);
        }
        if self.rng.one_in(10) {
            self.open_card();
        }
        self.press_key(b'\r');
    }

    /// Waits as an operator who reads the card, then answers.
    fn answer_card(&mut self) {
        self.poll();
        self.pty.advance(u64::try_from(QUIET_PERIOD.as_millis()).unwrap() + 50);
        self.poll();
        let word = *self.rng.pick(&["y", "once", "s", "n", "p", "15m", "42.00", "n: no, thanks"]);
        let pastes = self.rng.one_in(6);
        for byte in word.bytes().chain([b'\r']) {
            self.pty.advance(self.rng.between(40, 200));
            if pastes && byte == b'\r' {
                self.pty.send(b"\x1b[200~x\x1b[201~", InputSource::BracketedPaste);
                self.poll();
                self.pty.advance(self.rng.between(40, 200));
            }
            self.pty.send(&[byte], InputSource::Typed);
            self.poll();
        }
    }

    fn type_half_line(&mut self) {
        let word = *self.rng.pick(WORDS);
        word.bytes().for_each(|byte| self.press_key(byte));
        if self.rng.one_in(5) {
            self.press_key(0x15);
        }
    }

    fn paste_with_brackets(&mut self) {
        self.pty.advance(self.rng.between(20, 600));
        let text = *self.rng.pick(PASTED);
        let whole = format!("\x1b[200~{text}\x1b[201~");
        let (first, second) = whole.split_at(self.rng.below(whole.len() as u64) as usize);
        self.pty.send(first.as_bytes(), InputSource::BracketedPaste);
        self.pty.pasting.set(!first.is_empty());
        if self.rng.one_in(2) {
            self.poll();
            self.pty.advance(self.rng.below(50));
        }
        if self.rng.one_in(6) {
            self.open_card();
        }
        if !second.is_empty() {
            self.pty.send(second.as_bytes(), InputSource::BracketedPaste);
        }
        self.pty.pasting.set(false);
        self.poll();
    }

    /// Without bracketed paste, a single pasted letter looks like a key.
    fn paste_without_brackets(&mut self) {
        self.pty.advance(self.rng.between(20, 600));
        let text = *self.rng.pick(PASTED);
        if text.len() == 1 {
            return;
        }
        self.pty.send(text.as_bytes(), InputSource::PlainPaste);
        self.poll();
    }

    fn switch_focus(&mut self) {
        self.pty.advance(self.rng.between(20, 900));
        for sequence in [&b"\x1b[O"[..], b"\x1b[I"] {
            self.pty.advance(self.rng.between(1, 2_000));
            self.pty.send(sequence, InputSource::Sequence);
            self.poll();
        }
        self.pty.log_entry(LogEntry::Disturbed);
    }

    fn hammer_enter(&mut self) {
        for _ in 0..self.rng.between(1, 12) {
            self.press_key(b'\r');
        }
    }

    fn send_sequence(&mut self) {
        self.pty.advance(self.rng.between(20, 600));
        let sequence = *self.rng.pick(SEQUENCES);
        if self.rng.one_in(3) && sequence.len() > 1 {
            let (first, second) =
                sequence.split_at(self.rng.between(1, sequence.len() as u64) as usize);
            let gap = self.rng.below(300);
            // A slow connection splits a sequence. After a longer gap it counts as incomplete.
            let source = if gap > 100 { InputSource::TornSequence } else { InputSource::Sequence };
            self.pty.send(first, source);
            self.poll();
            self.pty.advance(gap);
            self.pty.send(second, source);
        } else {
            self.pty.send(sequence, InputSource::Sequence);
        }
        self.poll();
    }

    fn open_card(&mut self) {
        self.pty.advance(self.rng.below(300));
        self.driver.handle_input().unwrap();
        let log = self.pty.log.borrow();
        let answered = |id: &str| {
            log.iter().any(|e| matches!(e, LogEntry::Answered { answer } if answer.request == id))
        };
        self.open.retain(|id| !answered(id));
        drop(log);
        let id = if self.rng.one_in(8) && !self.open.is_empty() {
            self.rng.pick(&self.open).clone()
        } else {
            self.created += 1;
            // Its beginning names it.
            format!("r{:06x}{:026x}", self.created, 0)
        };
        if self.rng.one_in(2) {
            let typed = *self.rng.pick(&["y", "y\r", "\r", "yes\r", "s\r"]);
            *self.pty.typed_during_card.borrow_mut() = typed.as_bytes().to_vec();
        }
        let once: &[&str] = &["once", "decline"];
        let high: &[&str] = &["once", "15m", "session", "project!", "decline"];
        let opened = match self.rng.below(6) {
            0 => question(&id, "coder", &[("bank.pay", once)], Some("42.00")),
            1 => question(&id, "coder", &[("servers.stop", high)], None),
            2 => question(&id, "coder", &[("files.write", ALL), ("files.read", once)], None),
            _ => question(&id, "coder", &[("files.write", ALL)], None),
        };
        // Some agents ask so often that their questions become one card.
        let interval = if self.asks_often { 5 } else { 30 };
        let opened_at =
            Time::from_micros(0) + Span::seconds(i64::try_from(self.created * interval).unwrap());
        let mut opened = opened;
        opened.view.card.opened_at = opened_at;
        if !self.open.contains(&id) {
            self.open.push(id);
        }
        self.send_event(PromptEvent::RequestOpened(Box::new(opened)));
        self.pty.typed_during_card.borrow_mut().clear();
    }

    /// The output of an event disturbs the line that is being typed.
    fn send_event(&mut self, event: PromptEvent) {
        self.driver.handle_input().unwrap();
        self.pty.is_event.set(true);
        self.driver.handle_event(event).unwrap();
        self.pty.is_event.set(false);
    }

    fn close_card(&mut self) {
        if self.open.is_empty() {
            return;
        }
        self.pty.advance(self.rng.below(300));
        let request = self.rng.pick(&self.open).clone();
        let ending = Some(*self.rng.pick(&[Ending::Approved, Ending::Expired, Ending::Cancelled]));
        // Unread keys were typed before and belong to the card that is shown.
        self.driver.handle_input().unwrap();
        self.open.retain(|open| *open != request);
        self.pty.log_entry(LogEntry::Closed { request: request.clone() });
        let (surface, at) = (None, "2026-01-05T09:00:00Z".to_owned());
        let answer = ReportedAnswer { request, ending, surface, at };
        self.send_event(PromptEvent::RequestAnswered(answer));
    }

    fn raise_notice(&mut self) {
        self.pty.advance(self.rng.below(300));
        self.created += 1;
        let id = format!("note_{}", self.created);
        let text = format!("nothing much {}", self.created);
        self.send_event(PromptEvent::NoticeRaised { id, urgency: "notice", text });
    }

    fn drop_connection(&mut self) {
        self.send_event(PromptEvent::ConnectionLost("it ended".to_owned()));
        self.rest();
        self.send_event(PromptEvent::ConnectionRestored { open_requests: None });
    }

    /// Ctrl-C, only while a line is half typed: otherwise it would end the trial.
    fn interrupt(&mut self) {
        self.poll();
        if self.rng.one_in(3) {
            self.press_key(b'y');
            self.poll();
            self.pty.log_entry(LogEntry::Discarded);
            self.driver.handle_interrupt().unwrap();
        }
    }

    fn resize_window(&mut self) {
        let (ws_row, ws_col) = (self.rng.between(1, 60) as u16, self.rng.between(1, 200) as u16);
        let size = Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(self.pty.master(), size).unwrap();
        self.poll();
        if self.display.resize(&mut self.rng) {
            self.driver.handle_resize().unwrap();
        }
    }
}
