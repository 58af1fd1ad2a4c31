//! A time on the command line: a day, an instant, or a duration before now.

use countersign_core::model::time::{Span, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeArg {
    At(Time),
    Ago(Span),
}

impl TimeArg {
    pub fn parse(text: &str) -> Result<Self, String> {
        let at = Time::parse(text).or_else(|| Time::parse(&format!("{text}T00:00:00Z")));
        at.map(Self::At).or_else(|| Span::parse(text).map(Self::Ago)).ok_or_else(|| {
            "write a day (2026-01-05), an instant (2026-01-05T09:00:00Z), or how long ago (2h)"
                .to_owned()
        })
    }

    pub fn resolve(self, now: Time) -> Time {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => now - span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_instants_and_durations_are_parsed() {
        let noon = Time::parse("2026-01-05T12:00:00Z").unwrap();
        let resolve = |text: &str| TimeArg::parse(text).unwrap().resolve(noon).to_string();
        assert_eq!(resolve("2026-01-05"), "2026-01-05T00:00:00Z");
        assert_eq!(resolve("2026-01-04T10:00:00Z"), "2026-01-04T10:00:00Z");
        assert_eq!(resolve("90m"), "2026-01-05T10:30:00Z");
        for text in ["", "yesterday", "2026-13-01", "2026-01-05T12:00", "h", "-2h"] {
            assert!(TimeArg::parse(text).is_err(), "{text}");
        }
    }
}
