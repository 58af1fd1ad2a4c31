//! The terminal itself: keys one by one and unechoed, brackets around what is pasted, and all of it
//! put back when this goes, however it goes.

use crate::limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::fstat;
use rustix::io::{Errno, read, write};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Where cards are shown and keys come from.
pub trait Console {
    fn write(&mut self, text: &str) -> io::Result<()>;
    /// Everything that is there to read now, without waiting.
    fn waiting(&mut self, into: &mut Vec<u8>) -> io::Result<Reading>;
    /// Gives the terminal back for a while.
    fn leave(&mut self) -> io::Result<()>;
    fn enter(&mut self) -> io::Result<()>;
    /// What keys come from, if any can come.
    fn input(&self) -> Option<BorrowedFd<'_>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    More,
    /// Nothing will ever come again.
    Ended,
}

/// A terminal that a person types at.
pub struct Device {
    input: OwnedFd,
    output: OwnedFd,
    before: Termios,
    brackets: Brackets,
}

/// Whether the terminal is asked to put brackets around what is pasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    Asked,
    /// It would not understand: `TERM=dumb`.
    NotAsked,
}

const BRACKETS_ON: &str = "\x1b[?2004h";
const BRACKETS_OFF: &str = "\x1b[?2004l";

impl Device {
    /// Takes a terminal over, until this is dropped.
    pub fn open(input: OwnedFd, output: OwnedFd, brackets: Brackets) -> io::Result<Self> {
        let before = tcgetattr(&input)?;
        let mut device = Self { input, output, before, brackets };
        device.enter()?;
        Ok(device)
    }
}

impl Console for Device {
    fn write(&mut self, text: &str) -> io::Result<()> {
        write_all(&self.output, text.as_bytes())
    }

    fn waiting(&mut self, into: &mut Vec<u8>) -> io::Result<Reading> {
        let mut some = [0; limits::READ];
        while into.len() < limits::READ_AT_MOST && is_readable(&self.input)? {
            match read(&self.input, &mut some) {
                Ok(0) => return Ok(Reading::Ended),
                Ok(many) => into.extend_from_slice(some.get(..many).unwrap_or_default()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // The other side has gone.
                Err(Errno::IO) => return Ok(Reading::Ended),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Reading::More)
    }

    fn leave(&mut self) -> io::Result<()> {
        if self.brackets == Brackets::Asked {
            self.write(BRACKETS_OFF)?;
        }
        Ok(tcsetattr(&self.input, OptionalActions::Flush, &self.before)?)
    }

    fn enter(&mut self) -> io::Result<()> {
        let mut modes = self.before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        // What was typed before is nothing that was asked for.
        tcsetattr(&self.input, OptionalActions::Flush, &modes)?;
        if self.brackets == Brackets::Asked {
            self.write(BRACKETS_ON)?;
        }
        Ok(())
    }

    fn input(&self) -> Option<BorrowedFd<'_>> {
        Some(self.input.as_fd())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing back.
        let _gone = self.leave();
    }
}

/// No terminal: everything is shown, and nothing that comes in is an answer.
pub struct Pipe {
    output: OwnedFd,
}

impl Pipe {
    pub fn new(output: OwnedFd) -> Self {
        Self { output }
    }
}

impl Console for Pipe {
    fn write(&mut self, text: &str) -> io::Result<()> {
        write_all(&self.output, text.as_bytes())
    }

    fn waiting(&mut self, _into: &mut Vec<u8>) -> io::Result<Reading> {
        Ok(Reading::More)
    }

    fn leave(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn enter(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn input(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// Whether both are one and the same terminal: whoever types there sees what is shown.
pub fn same_terminal(input: impl AsFd, output: impl AsFd) -> bool {
    if !isatty(&input) || !isatty(&output) {
        return false;
    }
    match (fstat(input), fstat(output)) {
        (Ok(one), Ok(other)) => one.st_rdev == other.st_rdev,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

fn is_readable(fd: &OwnedFd) -> io::Result<bool> {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(many) => Ok(many > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(many) => bytes = bytes.get(many..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::new(fd, PollFlags::OUT)];
                poll(&mut fds, None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
