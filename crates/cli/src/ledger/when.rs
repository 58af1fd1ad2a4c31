//! An instant as it is typed: a day, an instant, or how long ago.

use countersign_core::model::time::{Span, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    At(Time),
    Ago(Span),
}

impl When {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let at = Time::parse(text).or_else(|| Time::parse(&format!("{text}T00:00:00Z")));
        at.map(Self::At).or_else(|| Span::parse(text).map(Self::Ago)).ok_or_else(|| {
            "write a day (2026-01-05), an instant (2026-01-05T09:00:00Z), or how long ago (2h)"
                .to_owned()
        })
    }

    pub(crate) fn before(self, now: Time) -> Time {
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
    fn days_instants_and_spans_are_read() {
        let noon = Time::parse("2026-01-05T12:00:00Z").unwrap();
        let before = |text: &str| When::parse(text).unwrap().before(noon).to_string();
        assert_eq!(before("2026-01-05"), "2026-01-05T00:00:00Z");
        assert_eq!(before("2026-01-04T10:00:00Z"), "2026-01-04T10:00:00Z");
        assert_eq!(before("90m"), "2026-01-05T10:30:00Z");
        for text in ["", "yesterday", "2026-13-01", "2026-01-05T12:00", "h", "-2h"] {
            assert!(When::parse(text).is_err(), "{text}");
        }
    }
}
