//! The system's clocks and randomness: no other module of this crate reads the time.

use countersign_core::model::time::{Span, Time};
use countersign_engine::{Clock, Entropy};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::time::{ClockId, clock_gettime};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "the binary is where the engine's clock comes from"
    )]
    fn now(&self) -> Time {
        // A clock before 1970 counts as 1970: every review is then in the future, which counts as none.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn uptime(&self) -> Option<Span> {
        let since = clock_gettime(ClockId::Boottime);
        Some(Span::micros(since.tv_sec.saturating_mul(1_000_000) + since.tv_nsec / 1_000))
    }

    fn boot(&self) -> Option<&str> {
        static BOOT: OnceLock<Option<String>> = OnceLock::new();
        let read = || std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        let trimmed = || read().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
        BOOT.get_or_init(trimmed).as_deref()
    }
}

/// How far the local clock is ahead of UTC at some time: by `TZ`, or by what the system is set to.
pub(crate) fn find_utc_offset(time: Time) -> Span {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    let zone = ZONE.get_or_init(TimeZone::system);
    let seconds = match Timestamp::from_microsecond(time.micros()) {
        Ok(timestamp) => zone.to_offset(timestamp).seconds(),
        Err(_) => 0,
    };
    Span::seconds(i64::from(seconds))
}

/// Time that no clock change affects, for waiting at a terminal.
pub(crate) struct ProcessClock;

impl countersign_terminal::MonotonicClock for ProcessClock {
    fn now(&self) -> std::time::Duration {
        let since = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(since.tv_sec).unwrap_or(0);
        std::time::Duration::new(seconds, u32::try_from(since.tv_nsec).unwrap_or(0))
    }
}

/// Unpredictable bits: each is a hash under a fresh random key of the standard library.
pub(crate) struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn bits(&self) -> u64 {
        RandomState::new().hash_one(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uptime_grows_and_the_boot_id_is_a_uuid() {
        let (before, after) = (SystemClock.uptime().unwrap(), SystemClock.uptime().unwrap());
        assert!(Span::seconds(0) < before && before <= after);
        assert_eq!(SystemClock.boot().map(str::len), Some(36));
    }
}
