//! A time on the command line, as people write it: a day, a clock time, an instant, or how long ago.
//!
//! Days and clock times are on the local clock.

use countersign_console::{MONTHS, weekday};
use countersign_core::model::time::{Span, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeArg {
    At(Time),
    Ago(Span),
    /// A day, and how far into it.
    Local(LocalDay, Span),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalDay {
    /// How many days ago.
    Back(i64),
    /// The last such day, Monday first. Today, if it is one.
    Weekday(usize),
    /// Midnight of the day, as if the local clock were UTC.
    Date(Time),
    /// Month and day of the last year in which the day is not in the future.
    MonthDay(usize, u32),
}

const HELP: &str = "write a day (today, yesterday, monday, 5 jan, 2026-01-05), a time (14:30, \
                    yesterday 14:30), an instant (2026-01-05T09:00:00Z), or how long ago (2h, 3 days)";

impl TimeArg {
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(at) = Time::parse(text) {
            return Ok(Self::At(at));
        }
        let text = text.to_lowercase();
        let ago = text.strip_suffix(" ago").unwrap_or(&text);
        if let Some(span) = Span::parse(ago).or_else(|| parse_long_span(ago)) {
            return Ok(Self::Ago(span));
        }
        Self::parse_local(&text).ok_or_else(|| HELP.to_owned())
    }

    /// A day, a clock time of today, or both.
    fn parse_local(text: &str) -> Option<Self> {
        if let Some(clock) = parse_clock(text) {
            return Some(Self::Local(LocalDay::Back(0), clock));
        }
        if let Some(day) = LocalDay::parse(text) {
            return Some(Self::Local(day, Span::seconds(0)));
        }
        let (day, clock) = text.rsplit_once([' ', 't'])?;
        Some(Self::Local(LocalDay::parse(day.trim())?, parse_clock(clock)?))
    }

    /// The instant. `utc_offset` says how far the local clock is ahead of UTC.
    pub fn resolve(self, now: Time, utc_offset: impl Fn(Time) -> Span) -> Time {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => now - span,
            Self::Local(day, clock) => {
                let local = day.midnight(now + utc_offset(now)) + clock;
                // Clocks that change at night change by less than what this could miss.
                local - utc_offset(local - utc_offset(now))
            }
        }
    }
}

impl LocalDay {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "today" => return Some(Self::Back(0)),
            "yesterday" => return Some(Self::Back(1)),
            _ => {}
        }
        let weekdays =
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let is_day = |name: &str| name == text || (text.len() == 3 && name.starts_with(text));
        if let Some(at) = weekdays.iter().position(|name| is_day(name)) {
            return Some(Self::Weekday(at));
        }
        if let Some(date) = Time::parse(&format!("{text}T00:00:00Z")) {
            return Some(Self::Date(date));
        }
        if let [day, month, year] = text.split('.').collect::<Vec<_>>().as_slice() {
            let (day, month): (u32, u32) = (day.parse().ok()?, month.parse().ok()?);
            return Time::parse(&format!("{year}-{month:02}-{day:02}T00:00:00Z")).map(Self::Date);
        }
        Self::parse_month_day(text)
    }

    /// `5 jan`, `jan 5`, `5 january 2026`.
    fn parse_month_day(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let (first, second, year) = match words.as_slice() {
            [first, second] => (*first, *second, None),
            [first, second, year] => (*first, *second, Some(*year)),
            _ => return None,
        };
        let month_of = |word: &str| {
            let short = word.get(..3)?;
            MONTHS.iter().position(|month| month.eq_ignore_ascii_case(short)).map(|at| at + 1)
        };
        let (month, day) = match (month_of(first), month_of(second)) {
            (Some(month), None) => (month, second),
            (None, Some(month)) => (month, first),
            _ => return None,
        };
        let day: u32 =
            day.trim_end_matches('.').parse().ok().filter(|day| (1..=31).contains(day))?;
        match year {
            Some(year) => {
                Time::parse(&format!("{year}-{month:02}-{day:02}T00:00:00Z")).map(Self::Date)
            }
            None => Some(Self::MonthDay(month, day)),
        }
    }

    /// The midnight that begins the day, on a clock that says `local` now.
    fn midnight(self, local: Time) -> Time {
        let today = local - Span::micros(local.micros().rem_euclid(86_400_000_000));
        match self {
            Self::Back(days) => today - Span::days(days),
            Self::Weekday(wanted) => {
                let back = (7 + weekday(today) - wanted) % 7;
                today - Span::days(i64::try_from(back).unwrap_or(0))
            }
            Self::Date(date) => date,
            Self::MonthDay(month, day) => {
                let year: i64 =
                    today.to_string().get(..4).and_then(|year| year.parse().ok()).unwrap_or(1970);
                let in_year =
                    |year: i64| Time::parse(&format!("{year}-{month:02}-{day:02}T00:00:00Z"));
                let this_year = in_year(year).filter(|date| *date <= today);
                // The 29th of February is in one of the last eight years.
                let earlier = || (1..=8).find_map(|back| in_year(year - back));
                this_year.or_else(earlier).unwrap_or(today)
            }
        }
    }
}

/// `3 days`, `1 hour`.
fn parse_long_span(text: &str) -> Option<Span> {
    let (count, unit) = text.split_once(' ')?;
    let count: i64 = count.parse().ok().filter(|count| (0..=100_000).contains(count))?;
    match unit.trim_end_matches('s') {
        "second" | "sec" => Some(Span::seconds(count)),
        "minute" | "min" => Some(Span::minutes(count)),
        "hour" => Some(Span::hours(count)),
        "day" => Some(Span::days(count)),
        "week" => Some(Span::days(count * 7)),
        _ => None,
    }
}

/// `14:30` or `14:30:05`.
fn parse_clock(text: &str) -> Option<Span> {
    let text = match text.len() {
        4 => format!("0{text}:00"),
        5 => format!("{text}:00"),
        _ => text.to_owned(),
    };
    let at = Time::parse(&format!("1970-01-01T{text}Z"))?;
    Some(Span::micros(at.micros()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At noon on a Monday in UTC, on a clock that is two hours ahead.
    fn resolve(text: &str) -> String {
        let noon = Time::parse("2026-01-05T12:00:00Z").unwrap();
        let east = |_| Span::hours(2);
        TimeArg::parse(text).unwrap().resolve(noon, east).to_string()
    }

    #[test]
    fn days_are_those_of_the_local_clock() {
        for (text, at) in [
            ("today", "2026-01-04T22:00:00Z"),
            ("yesterday", "2026-01-03T22:00:00Z"),
            ("Yesterday 14:30", "2026-01-04T12:30:00Z"),
            ("9:05", "2026-01-05T07:05:00Z"),
            ("monday", "2026-01-04T22:00:00Z"),
            ("tue", "2025-12-29T22:00:00Z"),
            ("2026-01-05", "2026-01-04T22:00:00Z"),
            ("2026-01-05 09:00", "2026-01-05T07:00:00Z"),
            ("2026-01-05T09:00", "2026-01-05T07:00:00Z"),
            ("05.01.2026", "2026-01-04T22:00:00Z"),
            ("5 jan", "2026-01-04T22:00:00Z"),
            ("Dec 24", "2025-12-23T22:00:00Z"),
            ("January 3, 2025", "2025-01-02T22:00:00Z"),
        ] {
            assert_eq!(resolve(text), at, "{text}");
        }
    }

    #[test]
    fn instants_and_durations_do_not_depend_on_the_local_clock() {
        for (text, at) in [
            ("2026-01-04T10:00:00Z", "2026-01-04T10:00:00Z"),
            ("90m", "2026-01-05T10:30:00Z"),
            ("2h ago", "2026-01-05T10:00:00Z"),
            ("3 days ago", "2026-01-02T12:00:00Z"),
            ("1 week", "2025-12-29T12:00:00Z"),
        ] {
            assert_eq!(resolve(text), at, "{text}");
        }
    }

    #[test]
    fn what_could_mean_two_days_is_refused() {
        for text in ["", "2026-13-01", "h", "-2h", "01/05/2026", "soon", "32 jan", "5 foo", "25:00"]
        {
            assert!(TimeArg::parse(text).is_err(), "{text}");
        }
    }
}
