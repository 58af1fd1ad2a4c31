//! Which decision is meant, and where in the ledger it begins.

use super::Asks;
use super::back::{back, end};
use crate::failure::Failure;
use crate::ids::pick_id;
use crate::limits;
use countersign_core::encoding::digest::Digest;
use countersign_core::ledger::Entry;
use countersign_core::ledger::about::Named;
use countersign_core::model::change::{Attempt, Change, Kind};
use countersign_core::model::ids::{CallId, ProposalId, RunId};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::Outcome;
use countersign_engine::{ObjectKind, StoreReader};

const LIST: &str = "`countersign log` shows what was decided, each with its id";

/// What was decided about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Call(CallId),
    /// The start of a run.
    Start(RunId),
    /// What an agent asked for before it acted.
    Ahead(Digest),
    Proposal(ProposalId),
}

/// A thing that was decided, the entry with its first decision, and the one that is asked about.
pub(super) struct Found {
    pub(super) about: About,
    pub(super) first: u64,
    /// None: the last there is about it.
    pub(super) focus: Option<u64>,
}

impl About {
    pub(super) fn of(attempt: &Attempt) -> Option<Self> {
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

    /// What all entries about it hold as text.
    pub(super) fn text(self) -> String {
        match self {
            Self::Call(id) => id.to_string(),
            Self::Start(id) => id.to_string(),
            Self::Ahead(digest) => digest.to_string(),
            Self::Proposal(id) => id.to_string(),
        }
    }

    fn begins_with(self, attempt: &Attempt) -> bool {
        !matches!(attempt, Attempt::Retry(_) | Attempt::Apply { .. })
            && Self::of(attempt) == Some(self)
    }
}

pub(super) fn find(record: &dyn StoreReader, asks: Asks<'_>) -> Result<Found, Failure> {
    let end = end(record)?;
    match asks {
        Asks::Id(id) => named(record, end, id),
        Asks::LastAsked => last(record, end, |_, outcome| outcome == Outcome::Ask, "was asked"),
        Asks::LastSkipped => {
            // What is decided again had been asked before.
            let skipped = |attempt: &Attempt, outcome| {
                outcome <= Outcome::Notify && !matches!(attempt, Attempt::Retry(_))
            };
            last(record, end, skipped, "passed without asking")
        }
    }
}

fn last(
    record: &dyn StoreReader,
    end: u64,
    is_meant: impl Fn(&Attempt, Outcome) -> bool,
    what: &str,
) -> Result<Found, Failure> {
    let found = back(record, end, |entry| {
        let Some((attempt, outcome)) = decided(entry)? else { return Ok(None) };
        let about = About::of(&attempt).filter(|_| is_meant(&attempt, outcome));
        Ok(about.map(|about| (about, entry.seq)))
    })?;
    let Some((about, focus)) = found else {
        let message = format!("nothing {what} yet");
        return Err(Failure::new(message, "`countersign log` shows what happened so far"));
    };
    let first = beginning(record, focus, about)?;
    Ok(Found { about, first, focus: Some(focus) })
}

fn decided(entry: &Entry) -> Result<Option<(Attempt, Outcome)>, Failure> {
    if entry.kind != Kind::CallDecided {
        return Ok(None);
    }
    match entry.change()?.1 {
        Change::CallDecided { attempt, decision, .. } => Ok(Some((attempt, decision.outcome))),
        _ => Ok(None),
    }
}

/// Where it was decided first.
fn beginning(record: &dyn StoreReader, from: u64, about: About) -> Result<u64, Failure> {
    let text = about.text();
    let found = back(record, from, |entry| {
        if !entry.bytes.contains(&text) {
            return Ok(None);
        }
        let first = decided(entry)?.filter(|(attempt, _)| about.begins_with(attempt));
        Ok(first.map(|_| entry.seq))
    })?;
    found.ok_or_else(|| {
        Failure::new(
            format!("the ledger does not say how {text} was decided"),
            "`countersign ledger verify` says whether entries are missing",
        )
    })
}

fn named(record: &dyn StoreReader, end: u64, given: &str) -> Result<Found, Failure> {
    let id = match Named::parse(given) {
        Some(id) => id,
        None => {
            let fits = candidates(record, given)?;
            let only = pick_id(&fits, given, "call and no request", LIST)?;
            Named::parse(&only).ok_or_else(|| unknown(given))?
        }
    };
    let about = match id {
        Named::Call(id) => About::Call(id),
        Named::Run(id) => About::Start(id),
        Named::Proposal(id) => About::Proposal(id),
        Named::Request(_) => return asked_in(record, end, &id.to_string()),
        Named::Grant(_) | Named::Gesture(_) | Named::Notice(_) => {
            return Err(Failure::usage(
                format!("{id} was given, not decided"),
                "name a call or a request; `countersign grants show` tells of a grant",
            ));
        }
    };
    match beginning(record, end, about) {
        Ok(first) => Ok(Found { about, first, focus: None }),
        Err(Failure::Message { .. }) => Err(unknown(given)),
        Err(other) => Err(other),
    }
}

/// The decision that opened a request.
fn asked_in(record: &dyn StoreReader, end: u64, text: &str) -> Result<Found, Failure> {
    let opened = back(record, end, |entry| {
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
    let Some((request, at)) = opened else { return Err(unknown(text)) };
    let about = subject(&request)?;
    Ok(Found { about, first: beginning(record, at, about)?, focus: None })
}

fn subject(request: &Request) -> Result<About, Failure> {
    let none = |what: &str| {
        let message = format!("{} asks about {what}; no decision came before it", request.id);
        Failure::usage(message, "`countersign show` shows what it asks")
    };
    match &request.subject {
        Subject::Calls(calls) => {
            calls.first().copied().map(About::Call).ok_or_else(|| none("nothing"))
        }
        Subject::Ahead(_) => Ok(About::Ahead(request.digest)),
        Subject::Start(start) => Ok(About::Start(start.run)),
        Subject::Proposal(proposal) => Ok(About::Proposal(*proposal)),
        Subject::Standing(_) => Err(none("a standing command that is carried over")),
        Subject::Slash(_) => Err(none("a slash command that the agent reports")),
        Subject::Imported(_) => Err(none("a grant that was brought in")),
    }
}

/// Calls, requests, runs and proposals whose id begins or ends like this.
fn candidates(record: &dyn StoreReader, given: &str) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    if given.len() >= limits::MIN_ID_CHARS {
        for sought in [ObjectKind::Call, ObjectKind::Request, ObjectKind::Run, ObjectKind::Proposal]
        {
            found.extend(record.find_ids(sought, given, limits::MAX_LISTED_IDS)?);
        }
    }
    found.truncate(limits::MAX_LISTED_IDS);
    Ok(found)
}

fn unknown(given: &str) -> Failure {
    Failure::usage(format!("no call and no request has the id `{given}`"), LIST)
}
