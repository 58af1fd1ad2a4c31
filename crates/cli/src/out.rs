//! The two streams: results go to stdout, talk goes to stderr.
//!
//! Colour is left to the stream, which knows its terminal and `NO_COLOR`. A reader that went away
//! (`| head`) is no reason to complain; any other failure to write is one.

use crate::failure::Failure;
use crate::page::Page;
use crate::plain;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// A result for people.
pub(crate) fn show(page: &Page) -> Result<(), Failure> {
    check_write(anstream::stdout().lock().write_all(page.as_str().as_bytes()))
}

/// A result for programs.
pub(crate) fn show_json(value: &impl Serialize) -> Result<(), Failure> {
    let value = serde_json::to_value(value).map_err(|error| {
        Failure::new(format!("the result cannot be written: {error}"), "report this as a bug")
    })?;
    show_bytes(plain::json(&value).as_bytes())
}

/// A result that is text of a language of its own, made by us alone.
pub(crate) fn show_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    check_write(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// Talk. Where it cannot be heard, the exit code still says it.
pub(crate) fn tell(page: &Page) {
    let _unheard = anstream::stderr().lock().write_all(page.as_str().as_bytes());
}

/// Talk that takes the place of the last such line. Only for a terminal.
pub(crate) fn redraw(line: &str) {
    let line = plain::plain(line);
    let _unheard = write!(std::io::stderr(), "\r\x1b[K{line}");
}

fn check_write(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Unheard),
        Err(error) => Err(Failure::new(
            format!("the result could not be written: {error}"),
            "treat this as no; make room, or write it elsewhere",
        )),
    }
}
