//! The differences that the gateway is known to make, with a reason for each.
//!
//! One that does not occur any more fails the run, so that the list only shrinks.

use crate::failure::Failure;
use serde::Deserialize;
use std::fmt;

/// One check of one scenario, through one way to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckId {
    pub revision: String,
    pub upstream: String,
    pub scenario: String,
    pub check: String,
}

impl fmt::Display for CheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { revision, upstream, scenario, check } = self;
        write!(f, "{revision} {upstream} {scenario} {check}")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub id: CheckId,
    /// How the check ended without the gateway and with it.
    pub change: String,
}

/// An entry of `xtask/mcp/expected-differences.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    revision: String,
    /// How the gateway reaches the server.
    upstream: Vec<String>,
    scenario: String,
    checks: Vec<String>,
    reason: String,
}

/// Whether an expected difference has occurred, by what it is expected for.
pub struct ExpectedList {
    entries: Vec<(CheckId, Occurrence)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occurrence {
    NotYet,
    Occurred,
}

impl ExpectedList {
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let entries: Vec<Expected> = serde_json::from_str(text)
            .map_err(|error| Failure::new(format!("expected-differences.json: {error}")))?;
        if let Some(entry) = entries.iter().find(|entry| entry.reason.trim().is_empty()) {
            return Err(Failure::new(format!("`{}` is expected without a reason", entry.scenario)));
        }
        let entries = entries.iter().flat_map(Expected::ids).map(|id| (id, Occurrence::NotYet));
        Ok(Self { entries: entries.collect() })
    }

    /// The differences that nobody expects.
    pub fn remove_expected(&mut self, differences: Vec<Difference>) -> Vec<Difference> {
        differences.into_iter().filter(|difference| !self.is_expected(&difference.id)).collect()
    }

    fn is_expected(&mut self, id: &CheckId) -> bool {
        match self.entries.iter_mut().find(|(expected, _)| expected == id) {
            Some((_, occurrence)) => {
                *occurrence = Occurrence::Occurred;
                true
            }
            None => false,
        }
    }

    /// What is expected and did not occur.
    pub fn outdated(&self) -> Vec<&CheckId> {
        let outdated = self.entries.iter().filter(|(_, was)| *was == Occurrence::NotYet);
        outdated.map(|(id, _)| id).collect()
    }
}

impl Expected {
    fn ids(&self) -> impl Iterator<Item = CheckId> + '_ {
        self.upstream.iter().flat_map(|upstream| {
            self.checks.iter().map(|check| CheckId {
                revision: self.revision.clone(),
                upstream: upstream.clone(),
                scenario: self.scenario.clone(),
                check: check.clone(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[{"revision": "r", "upstream": ["http", "stdio"], "scenario": "s",
        "checks": ["c"], "reason": "because"}]"#;

    fn difference(upstream: &str) -> Difference {
        let id = CheckId {
            revision: "r".to_owned(),
            upstream: upstream.to_owned(),
            scenario: "s".to_owned(),
            check: "c".to_owned(),
        };
        Difference { id, change: "SUCCESS -> FAILURE".to_owned() }
    }

    #[test]
    fn an_expected_difference_is_none_and_must_occur() {
        let mut list = ExpectedList::parse(LIST).unwrap();
        assert_eq!(list.remove_expected(vec![difference("http")]), []);
        let other = difference("other");
        assert_eq!(list.remove_expected(vec![other.clone()]), [other]);
        assert_eq!(list.outdated(), [&difference("stdio").id]);
        list.remove_expected(vec![difference("stdio")]);
        assert!(list.outdated().is_empty());
    }

    #[test]
    fn an_entry_needs_a_reason() {
        assert!(ExpectedList::parse(&LIST.replace("because", " ")).is_err());
        assert!(ExpectedList::parse("[{}]").is_err());
    }
}
