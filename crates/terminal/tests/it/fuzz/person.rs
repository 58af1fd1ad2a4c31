//! One evening: what the person does and what comes, by chance.

use super::dice::Dice;
use super::judge::{By, Entry};
use super::screen::{Fault, Hand, Room, Screen};
use crate::cards::{ALL, question};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Ending, Presence};
use countersign_terminal::{
    Closing, Command, Desk, Erasing, GUARD, Heard, News, Operator, Outcome, Question, Seat, Told,
    What,
};
use rustix::termios::{Winsize, tcsetwinsize};
use std::rc::Rc;

pub struct Evening {
    pub log: Vec<Entry>,
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
    "",
    "yy",
    "/help",
    "/grants",
    "42.00",
    "once 42.00",
    "later",
    "task",
    "review",
    "pause",
];
const PASTED: &[&str] =
    &["n: no", "y\r", "yes\r", "s\r", "once\r", "y", "ls\ry\r", "42.00\r", "n\r", "\r", "yes"];
const SEQUENCES: &[&[u8]] =
    &[b"\x1b[A", b"\x1b[1;5C", b"\x1bOP", b"\x1b[<0;3;4M", b"\x1b[M yy", b"\x1b]0;y\x07"];

struct Daemon {
    room: Rc<Room>,
    dice: Dice,
}

impl Operator for Daemon {
    fn answer(&mut self, told: &Told) -> Outcome {
        // Asking the daemon takes its time, and somebody may type meanwhile.
        self.room.pass(self.dice.below(300));
        if self.dice.one_in(10) {
            return Outcome::Refused("not now".to_owned());
        }
        self.room.note(Entry::Answered { told: told.clone() });
        if self.dice.one_in(3) {
            let typed = *self.dice.of(&["y", "\r", "y\r"]);
            self.room.send(typed.as_bytes(), By::Hand);
        }
        Outcome::Taken(vec!["answered".to_owned()])
    }

    fn command(&mut self, _command: &Command) -> Vec<String> {
        vec!["nothing".to_owned()]
    }

    fn presence(&mut self, _presence: Presence) {}

    fn delivered(&mut self, _what: &What, _evidence: Evidence) {
        // A slow disk, right after the card.
        self.room.pass(self.dice.below(30));
        if self.dice.one_in(20) {
            self.room.send(b"y", By::Hand);
        }
    }

    fn fetch(&mut self, _request: &str) -> Option<News> {
        None
    }
}

struct Night {
    room: Rc<Room>,
    dice: Dice,
    seat: Seat<Screen, Daemon, Hand>,
    asked: Vec<String>,
    made: u64,
    often: bool,
}

pub fn evening(seed: u64, fault: Option<Fault>) -> Evening {
    let (room, slave) = Room::open();
    let screen = Screen::new(Rc::clone(&room), slave, fault);
    let daemon = Daemon { room: Rc::clone(&room), dice: Dice::new(!seed) };
    let clock = Hand(Rc::clone(&room), fault);
    let seat = Seat::take(Desk::new(Heard::Typed, Erasing::Back), screen, daemon, clock).unwrap();
    let mut dice = Dice::new(seed);
    let often = dice.one_in(4);
    let mut night = Night { room, dice, seat, asked: Vec::new(), made: 0, often };
    for _ in 0..STEPS {
        night.step();
        if night.seat.desk().is_over() {
            break;
        }
    }
    let Night { room, seat, .. } = night;
    drop(seat);
    let (log, screen) = (room.log.take(), room.screen.take());
    Evening { log, screen }
}

impl Night {
    fn step(&mut self) {
        match self.dice.below(21) {
            0..4 => self.card(),
            4 => self.close(),
            5 => self.notice(),
            6..9 => self.line(),
            9..11 => self.answer(),
            11 => self.half(),
            12 => self.brackets(),
            13 => self.paste(),
            14 => self.focus(),
            15 => self.hammer(),
            16 => self.sequence(),
            17 => self.rest(),
            18 => self.connection(),
            19 => self.interrupt(),
            _ => self.window(),
        }
    }

    /// A key; sometimes nobody looks at it at once.
    fn key(&mut self, byte: u8) {
        let apart = if self.dice.one_in(3) { (15, 60) } else { (60, 250) };
        self.room.pass(self.dice.between(apart.0, apart.1));
        self.room.send(&[byte], By::Hand);
        if !self.dice.one_in(12) {
            self.look();
        }
    }

    fn look(&mut self) {
        self.seat.read().unwrap();
        self.seat.tick().unwrap();
    }

    fn rest(&mut self) {
        for _ in 0..self.dice.below(4) {
            self.room.pass(self.dice.between(50, 900));
            self.look();
        }
    }

    fn line(&mut self) {
        let word = *self.dice.of(WORDS);
        word.bytes().for_each(|byte| self.key(byte));
        if self.dice.one_in(8) {
            self.key(0x7f);
        }
        if self.dice.one_in(10) {
            self.card();
        }
        self.key(b'\r');
    }

    /// Reads the card, waits, and answers.
    fn answer(&mut self) {
        self.look();
        self.room.pass(u64::try_from(GUARD.as_millis()).unwrap() + 50);
        self.look();
        let word = *self.dice.of(&["y", "once", "s", "n", "p", "15m", "42.00", "n: no, thanks"]);
        let pastes = self.dice.one_in(6);
        for byte in word.bytes().chain([b'\r']) {
            self.room.pass(self.dice.between(40, 200));
            if pastes && byte == b'\r' {
                self.room.send(b"\x1b[200~x\x1b[201~", By::Brackets);
                self.look();
                self.room.pass(self.dice.between(40, 200));
            }
            self.room.send(&[byte], By::Hand);
            self.look();
        }
    }

    fn half(&mut self) {
        let word = *self.dice.of(WORDS);
        word.bytes().for_each(|byte| self.key(byte));
        if self.dice.one_in(5) {
            self.key(0x15);
        }
    }

    fn brackets(&mut self) {
        self.room.pass(self.dice.between(20, 600));
        let text = *self.dice.of(PASTED);
        let whole = format!("\x1b[200~{text}\x1b[201~");
        let (first, second) = whole.split_at(self.dice.below(whole.len() as u64) as usize);
        self.room.send(first.as_bytes(), By::Brackets);
        self.room.pasting.set(!first.is_empty());
        if self.dice.one_in(2) {
            self.look();
            self.room.pass(self.dice.below(50));
        }
        if self.dice.one_in(6) {
            self.card();
        }
        if !second.is_empty() {
            self.room.send(second.as_bytes(), By::Brackets);
        }
        self.room.pasting.set(false);
        self.look();
    }

    /// Where the terminal knows no brackets; one letter alone cannot be told from a key.
    fn paste(&mut self) {
        self.room.pass(self.dice.between(20, 600));
        let text = *self.dice.of(PASTED);
        if text.len() == 1 {
            return;
        }
        self.room.send(text.as_bytes(), By::Paste);
        self.look();
    }

    fn focus(&mut self) {
        self.room.pass(self.dice.between(20, 900));
        for sequence in [&b"\x1b[O"[..], b"\x1b[I"] {
            self.room.pass(self.dice.between(1, 2_000));
            self.room.send(sequence, By::Terminal);
            self.look();
        }
        self.room.note(Entry::Disturbed);
    }

    fn hammer(&mut self) {
        for _ in 0..self.dice.between(1, 12) {
            self.key(b'\r');
        }
    }

    fn sequence(&mut self) {
        self.room.pass(self.dice.between(20, 600));
        let sequence = *self.dice.of(SEQUENCES);
        if self.dice.one_in(3) {
            let (first, second) =
                sequence.split_at(self.dice.between(1, sequence.len() as u64) as usize);
            let apart = self.dice.below(300);
            // A slow line brings a sequence in pieces; only after a while it is none.
            let by = if apart > 100 { By::Torn } else { By::Terminal };
            self.room.send(first, by);
            self.look();
            self.room.pass(apart);
            self.room.send(second, by);
        } else {
            self.room.send(sequence, By::Terminal);
        }
        self.look();
    }

    fn card(&mut self) {
        self.room.pass(self.dice.below(300));
        self.seat.read().unwrap();
        let log = self.room.log.borrow();
        let answered = |id: &str| {
            log.iter().any(|e| matches!(e, Entry::Answered { told } if told.request == id))
        };
        self.asked.retain(|id| !answered(id));
        drop(log);
        let id = if self.dice.one_in(8) && !self.asked.is_empty() {
            self.dice.of(&self.asked).clone()
        } else {
            self.made += 1;
            format!("req_{:032x}", self.made)
        };
        if self.dice.one_in(2) {
            let typed = *self.dice.of(&["y", "y\r", "\r", "yes\r", "s\r"]);
            *self.room.meanwhile.borrow_mut() = typed.as_bytes().to_vec();
        }
        let once: &[&str] = &["once", "decline"];
        let high: &[&str] = &["once", "15m", "session", "project!", "decline"];
        let asked = match self.dice.below(6) {
            0 => question(&id, "coder", &[("bank.pay", once)], Some("42.00")),
            1 => question(&id, "coder", &[("servers.stop", high)], None),
            2 => question(&id, "coder", &[("files.write", ALL), ("files.read", once)], None),
            _ => question(&id, "coder", &[("files.write", ALL)], None),
        };
        // Some agents ask so often that their questions are one card.
        let apart = if self.often { 5 } else { 30 };
        let opened_at =
            Time::from_micros(0) + Span::seconds(i64::try_from(self.made * apart).unwrap());
        let asked = Question { opened_at: Some(opened_at), ..asked };
        if !self.asked.contains(&id) {
            self.asked.push(id);
        }
        self.comes(News::Asked(Box::new(asked)));
        self.room.meanwhile.borrow_mut().clear();
    }

    /// What is shown of it disturbs whoever types.
    fn comes(&mut self, news: News) {
        self.seat.read().unwrap();
        self.room.news.set(true);
        self.seat.came(news).unwrap();
        self.room.news.set(false);
    }

    fn close(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        self.room.pass(self.dice.below(300));
        let request = self.dice.of(&self.asked).clone();
        let ending = Some(*self.dice.of(&[Ending::Approved, Ending::Expired, Ending::Cancelled]));
        // What lies unread was typed before and is still for what was shown.
        self.seat.read().unwrap();
        self.asked.retain(|asked| *asked != request);
        self.room.note(Entry::Closed { request: request.clone() });
        let (surface, at) = (None, "2026-01-05T09:00:00Z".to_owned());
        self.comes(News::Closed(Closing { request, ending, surface, at }));
    }

    fn notice(&mut self) {
        self.room.pass(self.dice.below(300));
        self.made += 1;
        let (id, text) = (format!("note_{}", self.made), format!("nothing much {}", self.made));
        self.comes(News::Told { id, urgency: "notice", text });
    }

    fn connection(&mut self) {
        self.comes(News::Lost("it ended".to_owned()));
        self.rest();
        self.comes(News::Back { open: None });
    }

    /// Ctrl-C, where something is half typed; where nothing is, it ends the evening.
    fn interrupt(&mut self) {
        self.look();
        if self.dice.one_in(3) {
            self.key(b'y');
            self.look();
            self.room.note(Entry::Dropped);
            self.seat.interrupted().unwrap();
        }
    }

    fn window(&mut self) {
        let (ws_row, ws_col) = (self.dice.between(1, 60) as u16, self.dice.between(1, 200) as u16);
        let size = Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(self.room.master(), size).unwrap();
        self.look();
    }
}
