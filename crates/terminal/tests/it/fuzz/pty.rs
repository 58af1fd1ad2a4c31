//! A real pseudo-terminal between the simulated operator and the prompt, with a log of what
//! happened.

use super::checker::{InputSource, LogEntry};
use countersign_terminal::{
    BracketedPaste, Console, Device, InputStatus, MonotonicClock, QUIET_PERIOD,
};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::{Errno, ioctl_fionread, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

/// A bug between the keys and the prompt. The checker has to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// Input from before a card was shown arrives after it.
    DelaysInput,
    /// The brackets are removed, and pasted text arrives byte by byte.
    StripsPasteBrackets,
    /// Enter alone becomes a yes.
    EnterIsYes,
    /// The prompt's clock runs too fast, so that no quiet period is kept.
    NoQuietPeriod,
    /// Escape sequences lose their first byte.
    TearsSequences,
    /// A question mark becomes a no.
    QuestionIsNo,
}

/// The operator's side of the terminal. The trial, the console and the fake daemon share it.
pub struct TestPty {
    pub now: Cell<Duration>,
    pub log: RefCell<Vec<LogEntry>>,
    master: OwnedFd,
    unread: Cell<usize>,
    /// A paste was started and not ended: keys typed now land inside it.
    pub pasting: Cell<bool>,
    /// The next output is caused by an event of the daemon.
    pub is_event: Cell<bool>,
    pub screen: RefCell<String>,
    /// Bytes to type while the next card is being written.
    pub typed_during_card: RefCell<Vec<u8>>,
}

impl TestPty {
    pub fn open() -> (Rc<Self>, OwnedFd) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let slave = open(name.as_c_str(), flags, Mode::empty()).unwrap();
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let pty = Self {
            now: Cell::new(Duration::from_secs(100)),
            log: RefCell::default(),
            master,
            unread: Cell::new(0),
            pasting: Cell::new(false),
            is_event: Cell::new(false),
            screen: RefCell::default(),
            typed_during_card: RefCell::default(),
        };
        (Rc::new(pty), slave)
    }

    pub fn log_entry(&self, entry: LogEntry) {
        self.log.borrow_mut().push(entry);
    }

    pub fn advance(&self, millis: u64) {
        self.now.set(self.now.get() + Duration::from_millis(millis));
    }

    /// Sends bytes from the keyboard.
    pub fn send(&self, bytes: &[u8], source: InputSource) {
        let at = self.now.get();
        let source = if self.pasting.get() { InputSource::BracketedPaste } else { source };
        bytes.iter().for_each(|byte| self.log_entry(LogEntry::Byte { at, byte: *byte, source }));
        assert_eq!(write(&self.master, bytes).unwrap(), bytes.len());
        self.unread.set(self.unread.get() + bytes.len());
    }

    pub fn master(&self) -> &OwnedFd {
        &self.master
    }

    fn read_screen(&self) {
        let mut chunk = [0; 4096];
        loop {
            match read(&self.master, &mut chunk) {
                Ok(length) => {
                    self.screen.borrow_mut().push_str(&String::from_utf8_lossy(&chunk[..length]));
                }
                Err(Errno::AGAIN) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// What the operator sees of a card after some bytes were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A card appeared, or changed.
    Card {
        request: String,
        quick_keys: &'static [u8],
    },
    /// Something covers it.
    #[allow(dead_code, reason = "nothing covers lines")]
    Covered,
    Same,
}

/// Recognises cards in what is written.
pub type Watcher = Box<dyn FnMut(&str) -> Sight>;

/// Lines: the last card that was written is the one that can be answered.
pub fn watch_lines() -> Watcher {
    Box::new(|text| match text.rsplit_once("CARD ") {
        Some((_, rest)) => {
            let request = rest.split(['\n', '\r']).next().unwrap().trim_end().to_owned();
            Sight::Card { request, quick_keys: b"" }
        }
        None => Sight::Same,
    })
}

pub struct PtyConsole {
    pub pty: Rc<TestPty>,
    device: Device,
    watcher: Watcher,
    bug: Option<PlantedBug>,
    /// Bytes that the bug delays.
    delayed: Vec<u8>,
    shown_at: Duration,
}

impl PtyConsole {
    pub fn new(
        pty: Rc<TestPty>,
        slave: OwnedFd,
        watcher: Watcher,
        bug: Option<PlantedBug>,
    ) -> Self {
        let output = slave.try_clone().unwrap();
        let device = Device::open(slave, output, BracketedPaste::Enabled).unwrap();
        Self { pty, device, watcher, bug, delayed: Vec::new(), shown_at: Duration::ZERO }
    }

    /// Waits until the kernel has delivered every byte that was sent.
    fn wait_for_delivery(&self) {
        let input = self.device.input_fd().unwrap();
        for _ in 0..10_000_000 {
            if ioctl_fionread(input).unwrap() >= self.pty.unread.get() as u64 {
                return;
            }
            std::thread::yield_now();
        }
        panic!("the kernel did not deliver the input");
    }

    /// Applies the planted bug to the bytes.
    fn apply_bug(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        match self.bug {
            None | Some(PlantedBug::NoQuietPeriod) => bytes,
            Some(PlantedBug::DelaysInput) => {
                self.delayed.extend(bytes);
                let is_early = self.pty.now.get() < self.shown_at + QUIET_PERIOD * 2;
                if is_early || self.delayed.is_empty() {
                    Vec::new()
                } else {
                    vec![self.delayed.remove(0)]
                }
            }
            Some(PlantedBug::TearsSequences) => {
                self.delayed.extend(bytes.into_iter().filter(|byte| *byte != 0x1b));
                if self.delayed.is_empty() { Vec::new() } else { vec![self.delayed.remove(0)] }
            }
            Some(PlantedBug::QuestionIsNo) => {
                bytes.into_iter().map(|byte| if byte == b'?' { b'n' } else { byte }).collect()
            }
            Some(PlantedBug::EnterIsYes) => {
                let is_alone = bytes == b"\n" && self.delayed.is_empty();
                self.delayed = if is_alone { b"\n".to_vec() } else { Vec::new() };
                if is_alone { b"y".to_vec() } else { bytes }
            }
            Some(PlantedBug::StripsPasteBrackets) => {
                self.delayed.extend(bytes);
                let text = String::from_utf8_lossy(&self.delayed).into_owned();
                self.delayed = text.replace("\x1b[200~", "").replace("\x1b[201~", "").into_bytes();
                if self.delayed.is_empty() { Vec::new() } else { vec![self.delayed.remove(0)] }
            }
        }
    }
}

impl Console for PtyConsole {
    fn write(&mut self, text: &str) -> io::Result<()> {
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (first, second) = text.split_at(middle);
        self.device.write(first)?;
        self.pty.read_screen();
        let sight = (self.watcher)(text);
        if matches!(sight, Sight::Card { .. }) {
            let typed = std::mem::take(&mut *self.pty.typed_during_card.borrow_mut());
            for byte in typed {
                self.pty.advance(30);
                self.pty.send(&[byte], InputSource::Typed);
            }
        }
        self.device.write(second)?;
        self.pty.read_screen();
        if self.pty.is_event.take() {
            self.pty.log_entry(LogEntry::Disturbed);
        }
        let at = self.pty.now.get();
        match sight {
            Sight::Card { request, quick_keys } => {
                self.shown_at = at;
                self.pty.log_entry(LogEntry::Shown { at, request, quick_keys });
            }
            Sight::Covered => self.pty.log_entry(LogEntry::Hidden),
            Sight::Same => {}
        }
        Ok(())
    }

    fn read_available(&mut self, buffer: &mut Vec<u8>) -> io::Result<InputStatus> {
        self.wait_for_delivery();
        let mut bytes = Vec::new();
        let status = self.device.read_available(&mut bytes)?;
        self.pty.unread.set(self.pty.unread.get() - bytes.len());
        buffer.extend(self.apply_bug(bytes));
        Ok(status)
    }

    /// Discards what was typed and not read.
    fn release(&mut self) -> io::Result<()> {
        self.wait_for_delivery();
        self.pty.unread.set(0);
        self.pty.log_entry(LogEntry::Discarded);
        self.device.release()
    }

    fn acquire(&mut self) -> io::Result<()> {
        self.device.acquire()
    }

    fn input_fd(&self) -> Option<BorrowedFd<'_>> {
        self.device.input_fd()
    }
}

pub struct ManualClock {
    pub pty: Rc<TestPty>,
    pub bug: Option<PlantedBug>,
}

impl MonotonicClock for ManualClock {
    fn now(&self) -> Duration {
        let now = self.pty.now.get();
        if self.bug == Some(PlantedBug::NoQuietPeriod) { now * 1000 } else { now }
    }
}
