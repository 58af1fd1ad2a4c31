//! The only clock of this crate: measures how long an input takes.
//!
//! The ban on clocks protects decisions, which must be repeatable. Nothing here decides a call,
//! and the choice of the next input does not depend on time either.

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
