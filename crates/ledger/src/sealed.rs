//! The sealed part of an entry: arguments, targets, command lines and texts of people and agents.
//!
//! The entry contains only a salted commitment to it. So the sealed part can be erased without
//! breaking the chain, and nobody can test guesses against the commitment afterwards.
//!
//! See docs/decisions/0017-sealed-arguments.md.

mod writing;

use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json::JsonError;
use countersign_core::model::change::{Change, Kind};
use serde_json::{Map, Value, json};

const LABEL: &str = "countersign/sealed/v1";

/// Random bytes in a commitment. They are erased together with the sealed part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 16]);

/// The commitment to a sealed part, and the sealed part itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub commitment: Digest,
    /// None after it was erased.
    pub content: Option<SealedContent>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct SealedContent {
    pub salt: Salt,
    /// A canonical object: JSON pointers into the body, and the value at each.
    pub text: String,
}

impl Sealed {
    pub fn new(content: SealedContent) -> Self {
        Self { commitment: content.commitment(), content: Some(content) }
    }
}

impl SealedContent {
    pub fn commitment(&self) -> Digest {
        Digest::hash_parts(LABEL, &[&self.salt.0[..], self.text.as_bytes()])
    }
}

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

impl std::fmt::Debug for SealedContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedContent")
    }
}

/// The value that an erased field gets.
#[derive(Clone, Copy, Debug)]
enum Blank {
    Null,
    Text,
    List,
}

impl Blank {
    fn value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Text => json!(""),
            Self::List => json!([]),
        }
    }
}

/// The private fields of an entry about a decision.
const DECISION_PATHS: [(&str, Blank); 19] = [
    ("attempt/first/args", Blank::Null),
    ("attempt/first/target", Blank::List),
    ("attempt/first/recipients", Blank::List),
    ("attempt/first/command", Blank::Null),
    ("attempt/first/cwd", Blank::Null),
    ("attempt/first/claims/reason", Blank::Text),
    ("attempt/first/claims/fallback", Blank::Text),
    ("attempt/ahead/draft/ahead/text", Blank::Text),
    ("attempt/ahead/draft/ahead/reason", Blank::Text),
    ("attempt/ahead/draft/ahead/fallback", Blank::Text),
    ("attempt/proposal/draft/diff", Blank::Null),
    ("attempt/proposal/draft/undo", Blank::Null),
    ("ruled/command", Blank::Null),
    ("ruled/findings", Blank::List),
    ("ruled/programs", Blank::List),
    ("decision/note", Blank::Text),
    ("decision/basis/commands", Blank::List),
    ("decision/verdicts/*/basis/commands", Blank::List),
    ("decision/verdicts/*/destination", Blank::Null),
];

/// The private fields of an entry about a new question.
const REQUEST_PATHS: [(&str, Blank); 8] = [
    ("request/subject/ahead/text", Blank::Text),
    ("request/subject/ahead/reason", Blank::Text),
    ("request/subject/ahead/fallback", Blank::Text),
    ("request/subject/standing/command/argv", Blank::List),
    ("request/subject/standing/command/cwd", Blank::Null),
    ("request/subject/imported/words", Blank::Text),
    ("request/items/*/bounds", Blank::Null),
    ("request/programs", Blank::List),
];

/// The private fields of each kind of entry; `*` means every item of a list.
fn private_paths(kind: Kind) -> &'static [(&'static str, Blank)] {
    use Blank::{List, Null, Text};
    match kind {
        Kind::CallDecided => &DECISION_PATHS,
        Kind::RequestOpened => &REQUEST_PATHS,
        Kind::RequestAnswered => &[
            ("answered/note", Text),
            ("answered/declines/*/target/named", List),
            ("answered/declines/*/target/command/plain/argv", List),
            ("answered/declines/*/target/command/plain/cwd", Null),
            ("answered/declines/*/target/command/not_plain/text", Text),
            ("answered/declines/*/target/command/not_plain/cwd", Null),
            ("answered/cleared/*/1/named", List),
            ("answered/cleared/*/1/command/plain/argv", List),
            ("answered/cleared/*/1/command/plain/cwd", Null),
            ("answered/cleared/*/1/command/not_plain/text", Text),
            ("answered/cleared/*/1/command/not_plain/cwd", Null),
        ],
        Kind::DeclinesLifted => &[
            ("lifted/targets/*/1/named", List),
            ("lifted/targets/*/1/command/plain/argv", List),
            ("lifted/targets/*/1/command/plain/cwd", Null),
            ("lifted/targets/*/1/command/not_plain/text", Text),
            ("lifted/targets/*/1/command/not_plain/cwd", Null),
        ],
        Kind::GrantMinted => &[
            ("grant/coverage/command/argv", List),
            ("grant/coverage/command/cwd", Null),
            ("grant/coverage/step/commands", List),
            ("grant/coverage/program/path", Text),
            ("grant/within", Null),
        ],
        Kind::NoticeRaised => &[("notice/text", Text)],
        Kind::AgentRecorded => &[("recorded/text", Text)],
        Kind::PlanProposed => &[("plan/commands", List)],
        Kind::ProposalSubmitted | Kind::ProposalEdited => &[
            ("proposal/diff/before", Text),
            ("proposal/diff/after", Text),
            ("proposal/undo", Text),
        ],
        Kind::GraphLoaded
        | Kind::GraphReviewed
        | Kind::SessionOpened
        | Kind::SessionEnded
        | Kind::CallCompleted
        | Kind::CallCancelled
        | Kind::RepeatQueued
        | Kind::RepeatLeased
        | Kind::RepeatEnded
        | Kind::RequestDelivered
        | Kind::NoticeAcknowledged
        | Kind::NoticeEnded
        | Kind::GrantUsed
        | Kind::GrantReviewed
        | Kind::LegacyBlanketUsed
        | Kind::GrantRevoked
        | Kind::GrantEnded
        | Kind::RuleDecayed
        | Kind::RunStarted
        | Kind::RunEnded
        | Kind::RunReattached
        | Kind::WorkflowBypassed
        | Kind::GestureMade
        | Kind::GestureCovered
        | Kind::GestureClosed
        | Kind::NestedCovered
        | Kind::RiskReduced
        | Kind::AgentPaused
        | Kind::AgentResumed
        | Kind::PresenceChanged
        | Kind::Restarted
        | Kind::TurnSaid
        | Kind::StopEnded
        | Kind::ConsentReset
        | Kind::PlanAnswered
        | Kind::ProposalApplied
        | Kind::ProposalVetoed
        | Kind::ProposalUndone
        | Kind::ArgumentsErased
        | Kind::CredentialIssued
        | Kind::CredentialRevoked
        | Kind::AssuranceFound => &[],
    }
}

/// The canonical text of an entry's open part and of its sealed part. In the open part, private
/// fields are null. Empty private fields stay, because they reveal nothing.
pub(crate) fn write_parts(change: &Change) -> Result<(String, Option<String>), JsonError> {
    let writing::Parts { open, sealed } =
        writing::write_change(change, private_paths(change.kind()))?;
    Ok((open, sealed))
}

/// Puts the sealed fields back into a body, or blanks for those that were erased.
pub(crate) fn restore_sealed(kind: Kind, body: &mut Value, content: Option<&Map<String, Value>>) {
    for (path, blank) in private_paths(kind) {
        visit_path(body, path, &mut String::new(), &mut |field, at| {
            if field.is_null() {
                let value = content.and_then(|content| content.get(at)).cloned();
                *field = value.unwrap_or_else(|| blank.value());
            }
        });
    }
}

/// Calls `found` with every field that the path matches, and its pointer.
fn visit_path(
    value: &mut Value,
    path: &str,
    at: &mut String,
    found: &mut dyn FnMut(&mut Value, &str),
) {
    let (name, rest) = path.split_once('/').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let mut visit_next = |field: &mut Value, name: &str| {
        let so_far = at.len();
        at.push('/');
        at.push_str(name);
        match rest {
            Some(rest) => visit_path(field, rest, at, found),
            None => found(field, at),
        }
        at.truncate(so_far);
    };
    match value {
        Value::Array(items) if name == "*" => {
            items.iter_mut().enumerate().for_each(|(at, item)| visit_next(item, &at.to_string()));
        }
        Value::Array(items) => {
            if let Some(item) = name.parse().ok().and_then(|at: usize| items.get_mut(at)) {
                visit_next(item, name);
            }
        }
        Value::Object(fields) => {
            if let Some(field) = fields.get_mut(name) {
                visit_next(field, name);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The writer keeps the position in a path in one byte, for a fixed number of paths. A private
    /// field whose path did not fit would be written into the open part.
    #[test]
    fn every_private_path_fits_into_the_writer() {
        for kind in Kind::ALL {
            assert!(private_paths(*kind).len() <= DECISION_PATHS.len(), "{kind}");
            for (path, _) in private_paths(*kind) {
                assert!(path.len() <= usize::from(u8::MAX), "{kind}: {path}");
                assert!(!path.starts_with('/') && !path.ends_with('/'), "{kind}: {path}");
            }
        }
    }
}
