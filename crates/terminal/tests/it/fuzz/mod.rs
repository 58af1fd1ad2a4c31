//! A person at a real pseudo-terminal: types, pastes, looks away and comes back, while cards come
//! and go. Whatever reaches the daemon must have been typed for the card that was shown.
//!
//! Time is moved by hand, so that a thousand evenings take a second.

mod dice;
mod judge;
mod person;
mod screen;

use judge::judged;
use person::{Evening, evening};
pub use screen::Fault;

/// What many evenings came to.
#[derive(Debug, Default)]
pub struct Tally {
    pub evenings: u64,
    pub cards: usize,
    pub keys: usize,
    pub answers: usize,
    pub yeses: usize,
}

/// So many evenings, each from its own seed; the first that went wrong, and how.
pub fn evenings(first: u64, many: u64, fault: Option<Fault>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in first..first + many {
        let Evening { log, screen } = evening(seed, fault);
        let counted = judged(&log).map_err(|why| {
            let tail: Vec<&str> = screen.lines().rev().take(20).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            format!("evening {seed}: {why}\nat the end of the screen:\n{}", tail.join("\n"))
        })?;
        plain(&screen).map_err(|why| format!("evening {seed}: {why}"))?;
        tally.evenings += 1;
        tally.cards += counted.cards;
        tally.keys += counted.keys;
        tally.answers += counted.answers;
        tally.yeses += counted.yeses;
    }
    Ok(tally)
}

/// Nothing but text, line ends and the echo of erased letters; brackets are asked for at the
/// beginning and at the end.
fn plain(screen: &str) -> Result<(), String> {
    let rest =
        screen.replace("\x1b[?2004h", "").replace("\x1b[?2004l", "").replace("\x08 \x08", "");
    match rest.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r')) {
        None => Ok(()),
        Some(c) => Err(format!("{c:?} was written")),
    }
}
