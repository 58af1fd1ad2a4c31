//! Times as people say them: how long ago, and how long until.

use countersign_core::model::time::Time;

/// How long a request stays open: `2 h left`.
pub fn describe_time_left(now: Time, end: Time) -> String {
    match end <= now {
        true => "ended".to_owned(),
        false => format!("{} left", describe_seconds(seconds_between(now, end))),
    }
}

/// `just now`, `5 min ago`, `in 2 h`.
pub fn describe_relative_time(now: Time, time: Time) -> String {
    match time <= now {
        true => match seconds_between(time, now) {
            ..10 => "just now".to_owned(),
            seconds => format!("{} ago", describe_seconds(seconds)),
        },
        false => format!("in {}", describe_seconds(seconds_between(now, time))),
    }
}

/// For how long something has waited: `3 min`.
pub fn describe_waiting_time(now: Time, since: Time) -> String {
    describe_seconds(seconds_between(since.min(now), now))
}

fn seconds_between(earlier: Time, later: Time) -> i64 {
    later.micros().saturating_sub(earlier.micros()) / 1_000_000
}

fn describe_seconds(seconds: i64) -> String {
    let (minutes, hours) = ((seconds + 30) / 60, (seconds + 1_800) / 3_600);
    match (seconds, minutes, hours) {
        (..60, ..) => format!("{} s", seconds.max(1)),
        (_, ..100, _) => format!("{minutes} min"),
        (_, _, ..48) => format!("{hours} h"),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::time::Span;

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let now = Time::from_micros(1_767_603_600_000_000);
        for (seconds, text) in [
            (3, "just now"),
            (45, "45 s ago"),
            (90, "2 min ago"),
            (5_400, "90 min ago"),
            (7_200, "2 h ago"),
            (86_400, "24 h ago"),
            (259_200, "3 days ago"),
        ] {
            assert_eq!(describe_relative_time(now + Span::seconds(seconds), now), text);
        }
        assert_eq!(describe_relative_time(now, now + Span::seconds(600)), "in 10 min");
        assert_eq!(describe_time_left(now, now + Span::seconds(7_200)), "2 h left");
        assert_eq!(describe_time_left(now, now), "ended");
    }
}
