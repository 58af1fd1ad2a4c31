//! Parses times as other programs write them, with a fraction and a UTC offset.

use countersign_core::model::time::{Span, Time};

/// Parses `2026-05-19T10:00:00.123456+02:00` and `2026-05-19T08:00:00Z`. A time without an offset is
/// ambiguous and refused.
pub(crate) fn parse_instant(text: &str) -> Option<Time> {
    let (date, rest) = text.split_once(['T', ' '])?;
    let at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, offset) = rest.split_at_checked(at)?;
    let (whole, fraction) = match clock.split_once('.') {
        Some((whole, fraction)) => (whole, parse_fraction(fraction)?),
        None => (clock, 0),
    };
    let local = Time::parse(&format!("{date}T{whole}Z"))?;
    let local = Time::from_micros(local.micros().checked_add(fraction)?);
    let utc = match offset.split_at_checked(1)? {
        ("Z" | "z", "") => local,
        ("+", ahead) => local - parse_offset(ahead)?,
        ("-", behind) => local + parse_offset(behind)?,
        _ => return None,
    };
    // Canonical JSON has no larger numbers, so such a time could not be recorded.
    (utc.micros().unsigned_abs() < 1 << 53).then_some(utc)
}

/// Up to nine digits of a second, cut off after microseconds.
fn parse_fraction(fraction: &str) -> Option<i64> {
    let digits = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    if !digits || fraction.len() > 9 {
        return None;
    }
    let six: String = fraction.chars().chain("000000".chars()).take(6).collect();
    six.parse().ok()
}

fn parse_offset(offset: &str) -> Option<Span> {
    let (hours, minutes) = offset.split_once(':')?;
    let two = |text: &str| {
        let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then(|| Span::minutes(hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_fractions_are_parsed() {
        for (text, expected) in [
            ("2026-05-19T10:00:00Z", "2026-05-19T10:00:00Z"),
            ("2026-05-19T10:00:00.999Z", "2026-05-19T10:00:00Z"),
            ("2026-05-19T10:00:00.123456+00:00", "2026-05-19T10:00:00Z"),
            ("2026-05-19T01:30:00+02:00", "2026-05-18T23:30:00Z"),
            ("2026-05-19 22:30:00-02:30", "2026-05-20T01:00:00Z"),
        ] {
            assert_eq!(parse_instant(text).unwrap().to_string(), expected, "{text}");
        }
        let micros = parse_instant("1970-01-01T00:00:01.5Z").unwrap().micros();
        assert_eq!(micros, 1_500_000);
    }

    #[test]
    fn an_ambiguous_or_invalid_time_is_refused() {
        for text in [
            "",
            "soon",
            "2026-05-19",
            "2026-05-19T10:00:00",
            "2026-05-19T10:00:00.Z",
            "2026-05-19T10:00:00.1234567890Z",
            "2026-05-19T10:00:00Z+00:00",
            "2026-05-19T10:00:00+2:00",
            "2026-05-19T10:00:00+24:00",
            "2026-13-19T10:00:00Z",
            "2026-05-19T25:00:00Z",
            "2999-05-19T10:00:00Z",
        ] {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }
}
