//! The terminal between the person and what is tested: a real one, and a record of what happened.

use super::judge::{By, Entry};
use countersign_terminal::{Brackets, Clock, Console, Device, GUARD, Reading};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::{Errno, ioctl_fionread, read, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

/// Something that is wrong between the keys and the desk, to see whether it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was typed before a card was shown is handed out after it.
    KeepsWhatWasTyped,
    /// Brackets are taken off, and what was pasted comes letter by letter.
    TakesBracketsOff,
    /// Enter alone says yes.
    EnterIsYes,
    /// Nothing is kept waiting after a card: time runs much faster than it should.
    NoGuard,
    /// A sequence of the terminal loses its beginning.
    TearsSequences,
}

/// The person's side of the terminal, shared by whoever types and whoever shows.
pub struct Room {
    pub now: Cell<Duration>,
    pub log: RefCell<Vec<Entry>>,
    master: OwnedFd,
    unread: Cell<usize>,
    /// A paste has begun and not ended: whatever is typed now lands inside of it.
    pub pasting: Cell<bool>,
    /// What is written next comes from the daemon.
    pub news: Cell<bool>,
    pub screen: RefCell<String>,
    /// What is typed while the next card is being written, before its end.
    pub meanwhile: RefCell<Vec<u8>>,
}

impl Room {
    pub fn open() -> (Rc<Self>, OwnedFd) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let slave = open(name.as_c_str(), flags, Mode::empty()).unwrap();
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let room = Self {
            now: Cell::new(Duration::from_secs(100)),
            log: RefCell::default(),
            master,
            unread: Cell::new(0),
            pasting: Cell::new(false),
            news: Cell::new(false),
            screen: RefCell::default(),
            meanwhile: RefCell::default(),
        };
        (Rc::new(room), slave)
    }

    pub fn note(&self, entry: Entry) {
        self.log.borrow_mut().push(entry);
    }

    pub fn pass(&self, millis: u64) {
        self.now.set(self.now.get() + Duration::from_millis(millis));
    }

    /// Bytes at the keyboard, now.
    pub fn send(&self, bytes: &[u8], by: By) {
        let at = self.now.get();
        let by = if self.pasting.get() { By::Brackets } else { by };
        bytes.iter().for_each(|byte| self.note(Entry::Byte { at, byte: *byte, by }));
        assert_eq!(write(&self.master, bytes).unwrap(), bytes.len());
        self.unread.set(self.unread.get() + bytes.len());
    }

    pub fn master(&self) -> &OwnedFd {
        &self.master
    }

    fn look_at_screen(&self) {
        let mut some = [0; 4096];
        loop {
            match read(&self.master, &mut some) {
                Ok(many) => {
                    self.screen.borrow_mut().push_str(&String::from_utf8_lossy(&some[..many]));
                }
                Err(Errno::AGAIN) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

pub struct Screen {
    pub room: Rc<Room>,
    device: Device,
    fault: Option<Fault>,
    /// Held back by a fault.
    held: Vec<u8>,
    shown_at: Duration,
}

impl Screen {
    pub fn new(room: Rc<Room>, slave: OwnedFd, fault: Option<Fault>) -> Self {
        let output = slave.try_clone().unwrap();
        let device = Device::open(slave, output, Brackets::Asked).unwrap();
        Self { room, device, fault, held: Vec::new(), shown_at: Duration::ZERO }
    }

    /// The kernel hands bytes over when it likes; everything that was sent has arrived after this.
    fn arrive(&self) {
        let input = self.device.input().unwrap();
        for _ in 0..10_000_000 {
            if ioctl_fionread(input).unwrap() >= self.room.unread.get() as u64 {
                return;
            }
            std::thread::yield_now();
        }
        panic!("what was typed does not arrive");
    }

    /// What a fault makes of the bytes.
    fn spoil(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        match self.fault {
            None | Some(Fault::NoGuard) => bytes,
            Some(Fault::KeepsWhatWasTyped) => {
                self.held.extend(bytes);
                let early = self.room.now.get() < self.shown_at + GUARD * 2;
                if early || self.held.is_empty() { Vec::new() } else { vec![self.held.remove(0)] }
            }
            Some(Fault::TearsSequences) => {
                self.held.extend(bytes.into_iter().filter(|byte| *byte != 0x1b));
                if self.held.is_empty() { Vec::new() } else { vec![self.held.remove(0)] }
            }
            Some(Fault::EnterIsYes) => {
                let alone = bytes == b"\n" && self.held.is_empty();
                self.held = if alone { b"\n".to_vec() } else { Vec::new() };
                if alone { b"y".to_vec() } else { bytes }
            }
            Some(Fault::TakesBracketsOff) => {
                self.held.extend(bytes);
                let text = String::from_utf8_lossy(&self.held).into_owned();
                self.held = text.replace("\x1b[200~", "").replace("\x1b[201~", "").into_bytes();
                if self.held.is_empty() { Vec::new() } else { vec![self.held.remove(0)] }
            }
        }
    }
}

impl Console for Screen {
    fn write(&mut self, text: &str) -> io::Result<()> {
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (first, second) = text.split_at(middle);
        self.device.write(first)?;
        self.room.look_at_screen();
        let shown = text
            .rsplit_once("CARD ")
            .map(|(_, rest)| rest.split(['\n', '\r']).next().unwrap().to_owned());
        if shown.is_some() {
            let typed = std::mem::take(&mut *self.room.meanwhile.borrow_mut());
            for byte in typed {
                self.room.pass(30);
                self.room.send(&[byte], By::Hand);
            }
        }
        self.device.write(second)?;
        self.room.look_at_screen();
        if self.room.news.take() {
            self.room.note(Entry::Disturbed);
        }
        let at = self.room.now.get();
        if let Some(request) = shown {
            self.shown_at = at;
            self.room.note(Entry::Shown { at, request });
        }
        Ok(())
    }

    fn waiting(&mut self, into: &mut Vec<u8>) -> io::Result<Reading> {
        self.arrive();
        let mut bytes = Vec::new();
        let reading = self.device.waiting(&mut bytes)?;
        self.room.unread.set(self.room.unread.get() - bytes.len());
        into.extend(self.spoil(bytes));
        Ok(reading)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.device.leave()
    }

    fn enter(&mut self) -> io::Result<()> {
        self.device.enter()
    }

    fn input(&self) -> Option<BorrowedFd<'_>> {
        self.device.input()
    }
}

/// Moved by hand.
pub struct Hand(pub Rc<Room>, pub Option<Fault>);

impl Clock for Hand {
    fn now(&self) -> Duration {
        let now = self.0.now.get();
        if self.1 == Some(Fault::NoGuard) { now * 1000 } else { now }
    }
}
