//! The system's clock: the only place of the command line that reads time.

use countersign_core::time::Time;
use countersign_engine::{Clock, Entropy};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "the binary is where the engine's clock comes from"
    )]
    fn now(&self) -> Time {
        // Before 1970 every date lies ahead, and a date that lies ahead counts as never reviewed.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// For engines whose ids nobody keeps.
pub(crate) struct NothingKept;

impl Entropy for NothingKept {
    fn bits(&self) -> u64 {
        0
    }
}
