//! Instants, spans and dates as plain numbers.
//!
//! Nothing here reads a clock: instants come in with the facts. Ends are exclusive: at the instant
//! `ends_at` a thing is over.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

/// A length of time, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(i64);

/// A calendar day in UTC, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Date(i64);

impl Time {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    pub const fn date(self) -> Date {
        Date(self.0.div_euclid(DAY))
    }

    /// Parses `2026-01-05T09:00:00Z`. Other offsets and fractions are not accepted.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.strip_suffix('Z')?.split_once('T')?;
        let mut parts = clock.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let (hour, minute, second) =
            (parse_digits(hour, 2)?, parse_digits(minute, 2)?, parse_digits(second, 2)?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let seconds = (hour * 60 + minute) * 60 + second;
        Some(Self(Date::parse(date)?.0 * DAY + seconds * SECOND))
    }
}

impl Add<Span> for Time {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub for Span {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sub<Span> for Time {
    type Output = Self;

    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.rem_euclid(DAY) / SECOND;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}Z", self.date())
    }
}

impl Span {
    pub const fn micros(n: i64) -> Self {
        Self(n)
    }

    pub const fn seconds(n: i64) -> Self {
        Self(n * SECOND)
    }

    pub const fn minutes(n: i64) -> Self {
        Self::seconds(n * 60)
    }

    pub const fn hours(n: i64) -> Self {
        Self::minutes(n * 60)
    }

    pub const fn days(n: i64) -> Self {
        Self(n * DAY)
    }

    /// Parses `90s`, `16m`, `2h`, `30d`, and several in a row: `14m59s`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut total: i64 = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let unit = rest.find(|c: char| !c.is_ascii_digit())?;
            let (count, tail) = rest.split_at_checked(unit)?;
            let mut tail = tail.chars();
            total = total.checked_add(Self::from_count(count, tail.next()?)?.0)?;
            rest = tail.as_str();
        }
        (!text.is_empty()).then_some(Self(total))
    }

    fn from_count(count: &str, unit: char) -> Option<Self> {
        if count.is_empty() || count.len() > 6 {
            return None;
        }
        let n: i64 = count.parse().ok()?;
        match unit {
            's' => Some(Self::seconds(n)),
            'm' => Some(Self::minutes(n)),
            'h' => Some(Self::hours(n)),
            'd' => Some(Self::days(n)),
            _ => None,
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / SECOND;
        match seconds {
            s if s != 0 && s % 86_400 == 0 => write!(f, "{}d", s / 86_400),
            s if s != 0 && s % 3600 == 0 => write!(f, "{}h", s / 3600),
            s if s != 0 && s % 60 == 0 => write!(f, "{}m", s / 60),
            s => write!(f, "{s}s"),
        }
    }
}

impl Date {
    /// Parses `2026-01-05`. Days that the calendar does not have are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let date = Self::from_civil(
            parse_digits(year, 4)?,
            parse_digits(month, 2)?,
            parse_digits(day, 2)?,
        );
        (date.to_string() == text).then_some(date)
    }

    pub const fn days_since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    pub const fn plus_days(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Days from civil, after Howard Hinnant's `chrono`-compatible date algorithms.
    fn from_civil(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted = (month + 9).rem_euclid(12);
        let day_of_year = (153 * shifted + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self(era * 146_097 + day_of_era - 719_468)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

fn parse_digits(text: &str, width: usize) -> Option<i64> {
    (text.len() == width && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_prints_as_it_was_read() {
        for text in ["1970-01-01", "2024-02-29", "2026-01-05", "1999-12-31", "2100-03-01"] {
            assert_eq!(Date::parse(text).map(|d| d.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_day_that_does_not_exist_is_refused() {
        for text in ["2026-02-30", "2025-02-29", "2026-13-01", "26-01-01", "2026-1-5", "soon", ""] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_instant_prints_as_it_was_read() {
        let text = "2026-01-05T09:00:00Z";
        assert_eq!(Time::parse(text).map(|t| t.to_string()).as_deref(), Some(text));
        for text in ["2026-01-05T09:00:00", "2026-01-05T24:00:00Z", "2026-01-05 09:00:00Z"] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_span_needs_a_number_and_a_unit() {
        assert_eq!(Span::parse("16m"), Some(Span::minutes(16)));
        assert_eq!(Span::parse("14m59s"), Some(Span::seconds(899)));
        assert_eq!(Span::parse("30d").map(|s| s.to_string()).as_deref(), Some("30d"));
        for text in ["", "m", "16", "1.5h", "-3m", "16 m", "9999999d", "3w", "14m59"] {
            assert_eq!(Span::parse(text), None, "{text}");
        }
    }
}
