//! The controlling terminal, even if stdin and stdout are redirected.
//!
//! An answer is read from here and not from stdin, so that piped input cannot be an answer.

use crate::failure::Failure;
use crate::limits;
use crate::page::Page;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};

pub struct Tty {
    device: File,
}

impl Tty {
    pub fn open() -> Result<Self, Failure> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty");
        let device = device.map_err(|_| {
            Failure::no_operator(
                "cannot ask for confirmation: there is no terminal",
                "confirm at a terminal; an answer is accepted from nowhere else",
            )
        })?;
        Ok(Self { device })
    }

    pub fn show(&mut self, page: &Page) -> Result<(), Failure> {
        let text = anstream::adapter::strip_str(page.as_str()).to_string();
        self.device.write_all(text.as_bytes()).map_err(lost_terminal)
    }

    /// The line that was typed, or an empty text at the end of input.
    pub fn ask(&mut self, page: &Page) -> Result<String, Failure> {
        self.show(page)?;
        let mut reply = String::new();
        let input = (&self.device).take(limits::MAX_REPLY_BYTES);
        BufReader::new(input).read_line(&mut reply).map_err(lost_terminal)?;
        Ok(reply.trim().to_owned())
    }
}

fn lost_terminal(error: std::io::Error) -> Failure {
    let message = format!("the terminal was lost: {error}");
    Failure::no_operator(message, "unanswered requests are still open")
}
