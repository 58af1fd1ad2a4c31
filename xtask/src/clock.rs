//! The only clock of xtask: how long something took on this machine.
//!
//! The ban on clocks protects decisions, which must be repeatable. Nothing measured here decides
//! anything about a call.

use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[allow(clippy::disallowed_methods, reason = "xtask measures; it decides no call")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Seconds with one decimal: `3.4 s`.
pub fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}
