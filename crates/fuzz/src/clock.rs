//! The only clock of this crate: how long an input took.
//!
//! The ban on clocks protects decisions, which must be repeatable. Nothing here decides a call,
//! and what the driver tries next does not depend on the time either.

use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[allow(clippy::disallowed_methods, reason = "a search measures; it decides no call")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
