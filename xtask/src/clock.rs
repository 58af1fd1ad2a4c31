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

/// The time that programs which this process started have spent on processors, as far as they have
/// ended. Unlike the time on the clock it says little about what else the machine does.
pub fn children_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    TICK * read_children_ticks(&stat).unwrap_or(0)
}

/// The kernel counts time for other programs in hundredths of a second, on every machine.
const TICK: Duration = Duration::from_millis(10);

/// The name in parentheses may have anything in it; the numbers stand after the last one.
fn read_children_ticks(stat: &str) -> Option<u32> {
    let (_, numbers) = stat.rsplit_once(") ")?;
    let mut own_then_children = numbers.split(' ').skip(13);
    let user: u32 = own_then_children.next()?.parse().ok()?;
    let system: u32 = own_then_children.next()?.parse().ok()?;
    user.checked_add(system)
}

/// Seconds with one decimal: `3.4 s`.
pub fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read_behind_a_name_with_anything_in_it() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 100 50 30 12 20 0 1 0";
        assert_eq!(read_children_ticks(stat), Some(42));
        assert_eq!(read_children_ticks("7 (a) S 1"), None);
    }
}
