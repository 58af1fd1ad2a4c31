//! Sends long output through the pager (`PAGER`, else `less`), if it goes to a terminal.
//!
//! A pager that cannot be started is not needed: the output then goes to the terminal itself.

use crate::screen::{self, PagerChoice};
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// How `less` behaves unless `LESS` says otherwise: it ends by itself if everything fits on one
/// screen or after Ctrl-C, passes colours on, and leaves the text on the screen.
const LESS_OPTIONS: &str = "FRXK";

static PAGER: Mutex<Option<Child>> = Mutex::new(None);

/// From now on, results go through the pager.
pub fn start_pager() {
    let mut running = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    if running.is_none() {
        *running = screen::pager(io::stdout()).and_then(spawn);
    }
}

fn spawn(pager: &PagerChoice) -> Option<Child> {
    let mut words = pager.command.to_str()?.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words).stdin(Stdio::piped());
    if !pager.has_less_options {
        command.env("LESS", LESS_OPTIONS);
    }
    command.spawn().ok()
}

/// Writes to the pager. None if there is none.
pub(crate) fn write_to_pager(bytes: &[u8]) -> Option<io::Result<()>> {
    let mut running = PAGER.lock().unwrap_or_else(PoisonError::into_inner);
    running.as_mut()?.stdin.as_mut().map(|stdin| stdin.write_all(bytes))
}

/// Ends the output and waits until the reader has closed the pager.
pub fn finish_pager() {
    let running = PAGER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut pager) = running {
        drop(pager.stdin.take());
        // The result was shown, however the pager ended.
        let _status = pager.wait();
    }
}
