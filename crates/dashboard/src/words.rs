//! Words of the pages: times as people say them, risks, choices.

use countersign_card::Offer;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Covers, Risk};

/// `just now`, `5 min ago`, `in 2 h`.
pub(crate) fn describe_relative(now: Time, time: Time) -> String {
    match time <= now {
        true => match seconds_between(time, now) {
            ..10 => "just now".to_owned(),
            seconds => format!("{} ago", describe_seconds(seconds)),
        },
        false => format!("in {}", describe_seconds(seconds_between(now, time))),
    }
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

/// `2026-01-05 14:30:05`, in UTC: the script replaces it by the local time.
pub(crate) fn describe_instant(time: Time) -> String {
    let text = time.to_string();
    let (day, rest) = text.split_once('T').unwrap_or((&text, ""));
    let clock: String = rest.chars().take(8).collect();
    format!("{day} {clock}")
}

/// A class of the style sheet.
pub(crate) const fn risk_class(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly | Risk::Low => "risk-low",
        Risk::Moderate => "risk-moderate",
        Risk::High => "risk-high",
        Risk::Critical => "risk-critical",
    }
}

/// A shape for each risk, because not everybody sees colours.
pub(crate) const fn risk_shape(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly | Risk::Low => "○",
        Risk::Moderate => "▲",
        Risk::High => "◆",
        Risk::Critical => "■",
    }
}

pub(crate) const fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly => "READ ONLY",
        Risk::Low => "LOW",
        Risk::Moderate => "MODERATE",
        Risk::High => "HIGH",
        Risk::Critical => "CRITICAL",
    }
}

/// What the button of a choice says.
pub(crate) const fn name_choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Once => "Allow once",
        Choice::Run => "Allow for this task",
        Choice::Quarter => "Allow for 15 minutes",
        Choice::Session => "Allow for this session",
        Choice::Project => "Allow in this project",
        Choice::Decline => "Decline",
    }
}

/// How far a choice goes, in a few words.
pub(crate) const fn name_coverage(covers: Covers) -> &'static str {
    match covers {
        Covers::Command => "this command",
        Covers::Head => "this kind of command",
        Covers::Actions => "this kind of work",
    }
}

/// An offer as the value of a form field: `session.head`.
pub(crate) fn encode_offer(offer: &Offer) -> String {
    match offer.covers {
        Some(covers) => format!("{}.{covers}", offer.choice),
        None => offer.choice.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fail")]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_as_day_and_clock() {
        let time = Time::parse("2026-01-05T14:30:05Z").unwrap();
        assert_eq!(describe_instant(time), "2026-01-05 14:30:05");
    }
}
