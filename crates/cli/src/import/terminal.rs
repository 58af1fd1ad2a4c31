//! The terminal that a person sits at, whatever the streams are tied to.
//!
//! An answer is read from the controlling terminal and nowhere else, so that nothing that is piped
//! in can be one.

use crate::failure::Failure;
use crate::limits;
use crate::page::Page;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};

pub(crate) struct Terminal {
    device: File,
}

impl Terminal {
    pub(crate) fn open() -> Result<Self, Failure> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty");
        let device = device.map_err(|_| {
            Failure::no_operator(
                "nobody can be asked, because there is no terminal",
                "confirm at a terminal of your own; an answer is taken from nowhere else",
            )
        })?;
        Ok(Self { device })
    }

    pub(crate) fn show(&mut self, page: &Page) -> Result<(), Failure> {
        let text = anstream::adapter::strip_str(page.as_str()).to_string();
        self.device.write_all(text.as_bytes()).map_err(lost)
    }

    /// What was typed, or nothing at the end of input.
    pub(crate) fn ask(&mut self, page: &Page) -> Result<String, Failure> {
        self.show(page)?;
        let mut reply = String::new();
        let reading = (&self.device).take(limits::REPLY_BYTES);
        BufReader::new(reading).read_line(&mut reply).map_err(lost)?;
        Ok(reply.trim().to_owned())
    }
}

fn lost(error: std::io::Error) -> Failure {
    let message = format!("the terminal went away: {error}");
    Failure::no_operator(message, "what was not confirmed is still open")
}
