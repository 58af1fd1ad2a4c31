//! A time on the local clock, as people write it.

use countersign_core::model::time::{Span, Time};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// `Mon 5 Jan 2026`.
    pub day: String,
    /// `09:00:03`.
    pub clock: String,
}

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
pub const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const DAY: i64 = 86_400_000_000;

impl LocalTime {
    pub fn new(time: Time, offset: Span) -> Self {
        let local = time + offset;
        let text = local.to_string();
        let clock = text.get(11..19).unwrap_or_default().to_owned();
        let mut parts = text.get(..10).unwrap_or_default().split('-');
        let year = parts.next().unwrap_or_default();
        let month = parts.next().and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
        let month = MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default();
        let date = parts.next().unwrap_or_default().trim_start_matches('0');
        let weekday = WEEKDAYS.get(weekday(local)).copied().unwrap_or_default();
        Self { day: format!("{weekday} {date} {month} {year}"), clock }
    }
}

/// The day of the week of a local time, Monday first. The first of January 1970 was a Thursday.
pub fn weekday(local: Time) -> usize {
    let days = local.micros().div_euclid(DAY);
    usize::try_from((days + 3).rem_euclid(7)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_on_the_local_clock() {
        let time = Time::parse("2026-01-05T23:30:05Z").unwrap();
        let utc = LocalTime::new(time, Span::seconds(0));
        assert_eq!((utc.day.as_str(), utc.clock.as_str()), ("Mon 5 Jan 2026", "23:30:05"));
        let east = LocalTime::new(time, Span::seconds(3_600));
        assert_eq!((east.day.as_str(), east.clock.as_str()), ("Tue 6 Jan 2026", "00:30:05"));
    }
}
