//! Writes results to stdout, and messages to stderr.
//!
//! anstream removes colours where the terminal or `NO_COLOR` asks for it. A reader that closed the
//! pipe (`| head`) is not reported; any other write error is.

use crate::failure::Failure;
use crate::page::Page;
use crate::pager;
use crate::sanitize::{json_line, sanitize};
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints a result for people.
pub fn show(page: &Page) -> Result<(), Failure> {
    // Without a terminal there is no pager, so colours depend on stdout in both cases.
    let choice = anstream::AutoStream::choice(&std::io::stdout());
    let text = match choice {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(page.as_str()).to_string(),
        _ => page.as_str().to_owned(),
    };
    match pager::write_to_pager(text.as_bytes()) {
        Some(result) => check_write(result),
        None => check_write(anstream::stdout().lock().write_all(page.as_str().as_bytes())),
    }
}

/// Prints a result for programs, as one line of JSON.
pub fn show_json(value: &impl Serialize) -> Result<(), Failure> {
    let value = serde_json::to_value(value).map_err(|error| {
        Failure::new(format!("the result cannot be serialized: {error}"), "report this as a bug")
    })?;
    show_bytes(json_line(&value).as_bytes())
}

/// Prints a generated file. It is not sanitized, so it must not contain input.
pub fn show_bytes(bytes: &[u8]) -> Result<(), Failure> {
    if let Some(result) = pager::write_to_pager(bytes) {
        return check_write(result);
    }
    let mut stdout = std::io::stdout().lock();
    check_write(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// Prints a message. Write errors are ignored, because the exit code says the same.
pub fn eprint(page: &Page) {
    let _ignored = anstream::stderr().lock().write_all(page.as_str().as_bytes());
}

/// Replaces the last line of stderr, which must be a terminal.
pub fn redraw_line(line: &str) {
    let line = sanitize(line);
    let _ignored = write!(std::io::stderr(), "\r\x1b[K{line}");
}

fn check_write(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
        Err(error) => Err(Failure::new(
            format!("the result could not be written: {error}"),
            "treat this as no; free some space, or write it elsewhere",
        )),
    }
}
