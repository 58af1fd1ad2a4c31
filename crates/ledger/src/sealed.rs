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
enum ErasedValue {
    Null,
    Text,
    List,
}

impl ErasedValue {
    fn value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Text => json!(""),
            Self::List => json!([]),
        }
    }
}

/// The private fields of an entry about a decision.
const DECISION_PATHS: [(&str, ErasedValue); 25] = [
    ("attempt/first/args", ErasedValue::Null),
    ("attempt/first/target", ErasedValue::List),
    ("attempt/first/recipients", ErasedValue::List),
    ("attempt/first/command", ErasedValue::Null),
    ("attempt/first/cwd", ErasedValue::Null),
    ("attempt/first/claims/reason", ErasedValue::Text),
    ("attempt/first/claims/fallback", ErasedValue::Text),
    ("attempt/ahead/draft/ahead/text", ErasedValue::Text),
    ("attempt/ahead/draft/ahead/reason", ErasedValue::Text),
    ("attempt/ahead/draft/ahead/fallback", ErasedValue::Text),
    ("attempt/proposal/draft/diff", ErasedValue::Null),
    ("attempt/proposal/draft/undo", ErasedValue::Null),
    ("ruled/command", ErasedValue::Null),
    ("ruled/findings", ErasedValue::List),
    ("ruled/programs", ErasedValue::List),
    ("ruled/run_files", ErasedValue::List),
    ("ruled/narrowed", ErasedValue::Null),
    ("decision/note", ErasedValue::Text),
    ("decision/basis/commands", ErasedValue::List),
    ("decision/verdicts/*/basis/commands", ErasedValue::List),
    ("decision/basis/dangers", ErasedValue::List),
    ("decision/verdicts/*/basis/dangers", ErasedValue::List),
    ("decision/basis/run_files", ErasedValue::List),
    ("decision/verdicts/*/basis/run_files", ErasedValue::List),
    ("decision/verdicts/*/destination", ErasedValue::Null),
];

/// The private fields of an entry about a new question.
const REQUEST_PATHS: [(&str, ErasedValue); 9] = [
    ("request/subject/ahead/text", ErasedValue::Text),
    ("request/subject/ahead/reason", ErasedValue::Text),
    ("request/subject/ahead/fallback", ErasedValue::Text),
    ("request/subject/standing/command/argv", ErasedValue::List),
    ("request/subject/standing/command/cwd", ErasedValue::Null),
    ("request/subject/imported/words", ErasedValue::Text),
    ("request/items/*/bounds", ErasedValue::Null),
    ("request/programs", ErasedValue::List),
    ("request/run_files", ErasedValue::List),
];

/// The private fields of each kind of entry; `*` means every item of a list.
fn private_paths(kind: Kind) -> &'static [(&'static str, ErasedValue)] {
    use ErasedValue::{List, Null, Text};
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
        | Kind::SessionJoined
        | Kind::SessionEnded
        | Kind::RunFilesSeen
        | Kind::LayerSeen
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
