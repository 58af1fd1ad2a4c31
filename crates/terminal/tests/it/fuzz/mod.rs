//! Simulates an operator at a real pseudo-terminal, who types, pastes, looks away and comes back
//! while cards open and close. Every answer must have been typed for the card that was shown.
//!
//! The tests move the clock, so that a thousand trials take a second.

mod checker;
mod pty;
mod rng;
mod trial;

use checker::{TrialCounts, check_log};
pub use pty::PlantedBug;
#[allow(
    unused_imports,
    reason = "the tests of `inbox` include this module and draw with these"
)]
pub use pty::{PtyConsole, Sight, Watcher};
pub use rng::SeededRng;
pub use trial::{Lines, TrialDisplay};
use trial::{TrialRecord, run_trial};

/// Runs trials with consecutive seeds. Returns the sums of their counts, or the first failure.
pub fn run_trials<D: TrialDisplay>(
    first_seed: u64,
    count: u64,
    bug: Option<PlantedBug>,
    display: impl Fn() -> D,
    check_screen: impl Fn(&str) -> Result<(), String>,
) -> Result<TrialCounts, String> {
    let mut total = TrialCounts::default();
    for seed in first_seed..first_seed + count {
        let TrialRecord { log, screen } = run_trial(seed, bug, display());
        let counts = check_log(&log).map_err(|why| {
            let tail: Vec<&str> = screen.lines().rev().take(20).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            format!("trial {seed}: {why}\nat the end of the screen:\n{}", tail.join("\n"))
        })?;
        check_screen(&screen).map_err(|why| format!("trial {seed}: {why}"))?;
        total.cards += counts.cards;
        total.keys += counts.keys;
        total.answers += counts.answers;
        total.approvals += counts.approvals;
    }
    Ok(total)
}

/// Besides text and line ends, the screen contains bells, the echo of erased characters, and sequences that
/// switch bracketed paste, erase a line, or give the parts of a card their style.
pub fn check_lines(screen: &str) -> Result<(), String> {
    let sequences = [
        "\x1b[?2004h",
        "\x1b[?2004l",
        "\x08 \x08",
        "\r\x1b[K",
        "\x07",
        "\x1b[1;33m",
        "\x1b[1m",
        "\x1b[2m",
        "\x1b[1;4m",
        "\x1b[0m",
    ];
    let rest =
        sequences.iter().fold(screen.to_owned(), |rest, sequence| rest.replace(sequence, ""));
    match rest.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r')) {
        None => Ok(()),
        Some(c) => Err(format!("{c:?} was written")),
    }
}
