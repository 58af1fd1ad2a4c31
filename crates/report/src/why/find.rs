//! Finds the decision that is asked about, and its first entry in the ledger.

use super::DecisionQuery;
use super::search::{last_position, search_back};
use crate::limits;
use countersign_console::{Failure, pick_id};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::{Attempt, Change, Kind};
use countersign_core::model::ids::{CallId, ProposalId, RunId};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::Outcome;
use countersign_engine::{ObjectKind, StoreReader};
use countersign_ledger::Entry;
use countersign_ledger::subject::AnyId;

pub(super) const LIST: &str = "`countersign log` shows the decisions with their ids";

/// What was decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecisionSubject {
    Call(CallId),
    /// The start of a run.
    Start(RunId),
    /// Something that an agent asked for in advance.
    Ahead(Digest),
    Proposal(ProposalId),
}

/// Where the ledger has a decision.
pub(super) struct DecisionLocation {
    pub(super) subject: DecisionSubject,
    /// The first decision about the subject.
    pub(super) first: u64,
    /// The decision that is explained. None: the last one about the subject.
    pub(super) explained: Option<u64>,
}

impl DecisionSubject {
    pub(super) fn from_attempt(attempt: &Attempt) -> Option<Self> {
        match attempt {
            Attempt::First(call) => Some(Self::Call(call.id)),
            Attempt::Retry(call) => Some(Self::Call(*call)),
            Attempt::Start { run, .. } => Some(Self::Start(*run)),
            Attempt::Ahead { digest, .. } => Some(Self::Ahead(*digest)),
            Attempt::Proposal { proposal, .. } | Attempt::Apply { proposal, .. } => {
                Some(Self::Proposal(*proposal))
            }
            Attempt::Malformed { .. } => None,
        }
    }

    /// The id or digest that all entries about it contain.
    pub(super) fn id_text(self) -> String {
        match self {
            Self::Call(id) => id.to_string(),
            Self::Start(id) => id.to_string(),
            Self::Ahead(digest) => digest.to_string(),
            Self::Proposal(id) => id.to_string(),
        }
    }

    fn is_first_attempt(self, attempt: &Attempt) -> bool {
        !matches!(attempt, Attempt::Retry(_) | Attempt::Apply { .. })
            && Self::from_attempt(attempt) == Some(self)
    }
}

pub(super) fn find_decision(
    record: &dyn StoreReader,
    query: DecisionQuery<'_>,
) -> Result<DecisionLocation, Failure> {
    match query {
        DecisionQuery::Id(id) => find_by_id(record, id),
        DecisionQuery::LastAsked => find_last(
            record,
            |_, outcome| outcome == Outcome::Ask,
            "no call has been asked about yet",
        ),
        DecisionQuery::LastSkipped => {
            // A retry was asked about before.
            let is_skipped = |attempt: &Attempt, outcome| {
                outcome <= Outcome::Notify && !matches!(attempt, Attempt::Retry(_))
            };
            find_last(record, is_skipped, "no call has passed without asking yet")
        }
    }
}

fn find_last(
    record: &dyn StoreReader,
    matches: impl Fn(&Attempt, Outcome) -> bool,
    none: &str,
) -> Result<DecisionLocation, Failure> {
    let found = search_back(record, last_position(record)?, |entry| {
        let Some((attempt, outcome)) = parse_decision(entry)? else { return Ok(None) };
        let subject =
            DecisionSubject::from_attempt(&attempt).filter(|_| matches(&attempt, outcome));
        Ok(subject.map(|subject| (subject, entry.seq)))
    })?;
    let Some((subject, seq)) = found else {
        return Err(Failure::new(none, "`countersign log` shows what happened so far"));
    };
    let first = find_first(record, seq, subject)?;
    Ok(DecisionLocation { subject, first, explained: Some(seq) })
}

fn parse_decision(entry: &Entry) -> Result<Option<(Attempt, Outcome)>, Failure> {
    if entry.kind != Kind::CallDecided {
        return Ok(None);
    }
    match entry.change()?.1 {
        Change::CallDecided { attempt, decision, .. } => Ok(Some((attempt, decision.outcome))),
        _ => Ok(None),
    }
}

/// The position of the first decision about a subject, which an entry says there is.
fn find_first(
    record: &dyn StoreReader,
    from: u64,
    subject: DecisionSubject,
) -> Result<u64, Failure> {
    search_first(record, from, subject)?.ok_or_else(|| {
        Failure::new(
            format!("the ledger has no first decision about {}", subject.id_text()),
            "`countersign ledger verify` says whether entries are missing",
        )
    })
}

/// None if the ledger has none. An entry that cannot be read is an error.
fn search_first(
    record: &dyn StoreReader,
    from: u64,
    subject: DecisionSubject,
) -> Result<Option<u64>, Failure> {
    let text = subject.id_text();
    search_back(record, from, |entry| {
        if !entry.bytes.contains(&text) {
            return Ok(None);
        }
        let first = parse_decision(entry)?.filter(|(attempt, _)| subject.is_first_attempt(attempt));
        Ok(first.map(|_| entry.seq))
    })
}

fn find_by_id(record: &dyn StoreReader, given: &str) -> Result<DecisionLocation, Failure> {
    let id = match AnyId::parse(given) {
        Some(id) => id,
        None => {
            let candidates = find_candidates(record, given)?;
            let id = pick_id(&candidates, given, "call and no request", LIST)?;
            AnyId::parse(&id).ok_or_else(|| unknown_id(given))?
        }
    };
    let subject = match id {
        AnyId::Call(id) => DecisionSubject::Call(id),
        AnyId::Run(id) => DecisionSubject::Start(id),
        AnyId::Proposal(id) => DecisionSubject::Proposal(id),
        AnyId::Request(_) => return find_by_request(record, &id.to_string()),
        AnyId::Grant(_) | AnyId::Gesture(_) | AnyId::Notice(_) => {
            return Err(Failure::usage(
                format!("{id} is not a call, request, run or proposal"),
                "name one of those; `countersign grants show` shows a grant",
            ));
        }
    };
    match search_first(record, last_position(record)?, subject)? {
        Some(first) => Ok(DecisionLocation { subject, first, explained: None }),
        None => Err(unknown_id(given)),
    }
}

/// The decision that opened a request.
fn find_by_request(record: &dyn StoreReader, text: &str) -> Result<DecisionLocation, Failure> {
    let opened = search_back(record, last_position(record)?, |entry| {
        if entry.kind != Kind::RequestOpened || !entry.bytes.contains(text) {
            return Ok(None);
        }
        match entry.change()?.1 {
            Change::RequestOpened { request } if request.id.to_string() == text => {
                Ok(Some((request, entry.seq)))
            }
            _ => Ok(None),
        }
    })?;
    let Some((request, seq)) = opened else { return Err(unknown_id(text)) };
    let subject = decision_subject(&request)?;
    let first = find_first(record, seq, subject)?;
    Ok(DecisionLocation { subject, first, explained: None })
}

fn decision_subject(request: &Request) -> Result<DecisionSubject, Failure> {
    let none = |what: &str| {
        let message = format!("{} asks about {what}; no decision opened it", request.id);
        Failure::usage(message, "`countersign show` shows the request")
    };
    match &request.subject {
        Subject::Calls(calls) => {
            calls.first().copied().map(DecisionSubject::Call).ok_or_else(|| none("nothing"))
        }
        Subject::Ahead(_) => Ok(DecisionSubject::Ahead(request.digest)),
        Subject::Start(start) => Ok(DecisionSubject::Start(start.run)),
        Subject::Proposal(proposal) => Ok(DecisionSubject::Proposal(*proposal)),
        Subject::Standing(_) => Err(none("a standing command from another context")),
        Subject::Slash(_) => Err(none("a slash command that the agent reports")),
        Subject::Imported(_) => Err(none("an imported grant")),
    }
}

/// Calls, requests, runs and proposals whose id starts like this.
fn find_candidates(record: &dyn StoreReader, given: &str) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for kind in [ObjectKind::Call, ObjectKind::Request, ObjectKind::Run, ObjectKind::Proposal] {
        found.extend(record.find_ids(kind, given, limits::MAX_LISTED_IDS)?);
    }
    found.truncate(limits::MAX_LISTED_IDS);
    Ok(found)
}

fn unknown_id(given: &str) -> Failure {
    Failure::usage(format!("no call and no request has the id `{given}`"), LIST)
}
