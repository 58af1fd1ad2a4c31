//! The terminal device: raw keys without echo, and bracketed paste.
//!
//! Dropping a `Device` restores the terminal's modes.

use crate::limits;
use crate::prompt::Prompt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::fstat;
use rustix::io::{Errno, read, write};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Shows text and reads keys.
pub trait Console {
    /// Shows what is new of a prompt.
    fn show(&mut self, prompt: &mut Prompt) -> io::Result<()> {
        let text = prompt.take_output();
        if text.is_empty() { Ok(()) } else { self.write(&text) }
    }
    fn write(&mut self, text: &str) -> io::Result<()>;
    /// Appends the bytes that can be read without waiting.
    fn read_available(&mut self, buffer: &mut Vec<u8>) -> io::Result<InputStatus>;
    /// Restores the terminal's modes while another program uses the terminal.
    fn release(&mut self) -> io::Result<()>;
    fn acquire(&mut self) -> io::Result<()>;
    /// The file descriptor to poll for keys. None if no keys can arrive.
    fn input_fd(&self) -> Option<BorrowedFd<'_>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputStatus {
    Open,
    /// No more input will arrive.
    Ended,
}

/// A terminal with an operator at it.
pub struct Device {
    input: OwnedFd,
    output: OwnedFd,
    original_modes: Termios,
    paste: BracketedPaste,
}

/// Whether the terminal is told to put brackets around pasted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BracketedPaste {
    Enabled,
    /// The terminal would print the escape sequence: `TERM=dumb`.
    Disabled,
}

const PASTE_BRACKETS_ON: &str = "\x1b[?2004h";
const PASTE_BRACKETS_OFF: &str = "\x1b[?2004l";

impl Device {
    /// Takes over a terminal until the device is dropped.
    pub fn open(input: OwnedFd, output: OwnedFd, paste: BracketedPaste) -> io::Result<Self> {
        let original_modes = tcgetattr(&input)?;
        let mut device = Self { input, output, original_modes, paste };
        device.acquire()?;
        Ok(device)
    }
}

impl Console for Device {
    fn write(&mut self, text: &str) -> io::Result<()> {
        write_all(&self.output, text.as_bytes())
    }

    fn read_available(&mut self, buffer: &mut Vec<u8>) -> io::Result<InputStatus> {
        let mut chunk = [0; limits::READ_BUFFER];
        while buffer.len() < limits::MAX_READ && is_readable(&self.input)? {
            match read(&self.input, &mut chunk) {
                Ok(0) => return Ok(InputStatus::Ended),
                Ok(length) => buffer.extend_from_slice(chunk.get(..length).unwrap_or_default()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // The terminal was closed.
                Err(Errno::IO) => return Ok(InputStatus::Ended),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(InputStatus::Open)
    }

    fn release(&mut self) -> io::Result<()> {
        if self.paste == BracketedPaste::Enabled {
            self.write(PASTE_BRACKETS_OFF)?;
        }
        Ok(tcsetattr(&self.input, OptionalActions::Flush, &self.original_modes)?)
    }

    fn acquire(&mut self) -> io::Result<()> {
        let mut modes = self.original_modes.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Flush: keys from before answer nothing.
        tcsetattr(&self.input, OptionalActions::Flush, &modes)?;
        if self.paste == BracketedPaste::Enabled {
            self.write(PASTE_BRACKETS_ON)?;
        }
        Ok(())
    }

    fn input_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.input.as_fd())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // This fails only if the terminal is gone.
        let _failed = self.release();
    }
}

/// Output without a terminal: shows cards and reads nothing.
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

    fn read_available(&mut self, _buffer: &mut Vec<u8>) -> io::Result<InputStatus> {
        Ok(InputStatus::Open)
    }

    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn acquire(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn input_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// Whether both are the same terminal, so that the person who types sees the output.
pub fn is_same_terminal(input: impl AsFd, output: impl AsFd) -> bool {
    if !isatty(&input) || !isatty(&output) {
        return false;
    }
    match (fstat(input), fstat(output)) {
        (Ok(input), Ok(output)) => input.st_rdev == output.st_rdev,
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

fn is_readable(fd: &OwnedFd) -> io::Result<bool> {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(fd, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
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
