//! What belongs to one decision: the call, the question, the answer, the grants, the end.

use super::back::back;
use super::find::{About, Found};
use crate::failure::Failure;
use crate::ledger::pages;
use countersign_core::ledger::Entry;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Answered, Attempt, Change, Given, Kind};
use countersign_core::model::decision::Decision;
use countersign_core::model::grant::Grant;
use countersign_core::model::ids::{CallId, GrantId, RequestId};
use countersign_core::model::names::{Agent, SessionName};
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, Outcome};
use countersign_engine::StoreReader;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct Story {
    pub(super) about: About,
    pub(super) what: What,
    /// In their order. The last of them is explained, unless another one is asked about.
    pub(super) decisions: Vec<Decided>,
    focus: Option<u64>,
    pub(super) requests: Vec<Request>,
    pub(super) answers: Vec<Said>,
    /// What the decision rested on.
    pub(super) used: Vec<Known>,
    /// What an answer to it gave.
    pub(super) minted: Vec<Grant>,
    pub(super) effects: Vec<(Time, Effect)>,
    /// Whether words that were kept apart are gone.
    pub(super) erased: bool,
    /// Ids that belong to it, as text: an entry without any of them is not read.
    ids: Vec<String>,
}

/// What was decided about, and whose it was.
pub(super) struct What {
    pub(super) session: SessionName,
    pub(super) agent: Agent,
    pub(super) call: Option<Arc<Call>>,
    pub(super) words: String,
}

/// A decision as it was recorded.
pub(super) struct Decided {
    pub(super) seq: u64,
    pub(super) at: Time,
    pub(super) decision: Decision,
    pub(super) given: Given,
}

/// How a request was answered.
pub(super) struct Said {
    pub(super) at: Time,
    pub(super) answered: Answered,
}

/// A grant that was used, and the answer that gave it.
pub(super) struct Known {
    pub(super) grant: Grant,
    pub(super) by: Option<Said>,
}

pub(super) fn story(record: &dyn StoreReader, found: &Found) -> Result<Story, Failure> {
    let first = record.read_entries(found.first, 1)?.into_iter().next();
    let what = first.map(|entry| entry.change()).transpose()?;
    let Some(what) = what.and_then(|(_, change)| What::of(change)) else {
        let message = "the decision is not where it was found";
        return Err(Failure::new(message, "`countersign ledger verify` says what is wrong"));
    };
    let mut story = Story::new(found, what);
    pages(record, found.first..=u64::MAX, |entry| story.take(&entry))?;
    story.join(record, found.first)?;
    story.look_up_grants(record)?;
    Ok(story)
}

impl Story {
    fn new(found: &Found, what: What) -> Self {
        Self {
            about: found.about,
            what,
            decisions: Vec::new(),
            focus: found.focus,
            requests: Vec::new(),
            answers: Vec::new(),
            used: Vec::new(),
            minted: Vec::new(),
            effects: Vec::new(),
            erased: false,
            ids: vec![found.about.text()],
        }
    }

    /// The decision that is explained.
    pub(super) fn explained(&self) -> Option<&Decided> {
        let focus = self.focus;
        let meant = self.decisions.iter().find(|decided| Some(decided.seq) == focus);
        meant.or(self.decisions.last())
    }

    fn take(&mut self, entry: &Entry) -> Result<(), Failure> {
        if !self.ids.iter().any(|id| entry.bytes.contains(id)) {
            return Ok(());
        }
        let (at, change) = entry.change()?;
        match change {
            Change::CallDecided { attempt, decision, given, .. }
                if About::of(&attempt) == Some(self.about) =>
            {
                self.erased |= entry.is_erased();
                self.decisions.push(Decided { seq: entry.seq, at, decision, given: *given });
            }
            Change::RequestOpened { request } if self.is_asked_in(&request) => {
                self.ids.push(request.id.to_string());
                self.requests.push(*request);
            }
            Change::RequestAnswered { answered } if self.asks(Some(answered.request)) => {
                self.answers.push(Said { at, answered: *answered });
            }
            Change::GrantMinted { grant } if self.asks(grant.request) => self.minted.push(*grant),
            Change::CallCompleted { call, effect } if self.about == About::Call(call) => {
                self.effects.push((at, effect));
            }
            _ => {}
        }
        Ok(())
    }

    fn asks(&self, request: Option<RequestId>) -> bool {
        self.requests.iter().any(|known| Some(known.id) == request)
    }

    fn is_asked_in(&self, request: &Request) -> bool {
        match (&request.subject, self.about) {
            (Subject::Calls(calls), About::Call(call)) => calls.contains(&call),
            (Subject::Start(start), About::Start(run)) => start.run == run,
            (Subject::Proposal(asked), About::Proposal(proposal)) => *asked == proposal,
            (Subject::Ahead(_), About::Ahead(digest)) => request.digest == digest,
            _ => false,
        }
    }

    /// A call that asks what was being asked already waits on the question that was open.
    fn join(&mut self, record: &dyn StoreReader, first: u64) -> Result<(), Failure> {
        let asked = self.decisions.first().filter(|first| first.decision.outcome == Outcome::Ask);
        let (Some(at), Some(call), true) =
            (asked.map(|first| first.at), &self.what.call, self.requests.is_empty())
        else {
            return Ok(());
        };
        let (digest, mut opened) = (call.digest, None);
        let text = digest.to_string();
        back(record, first, |entry| {
            if entry.kind != Kind::RequestOpened || !entry.bytes.contains(&text) {
                return Ok(None);
            }
            if let Change::RequestOpened { request } = entry.change()?.1
                && request.digest == digest
                && at < request.ends_at
            {
                opened = Some((entry.seq, *request));
            }
            Ok(Some(()))
        })?;
        let Some((seq, request)) = opened else { return Ok(()) };
        self.ids = vec![request.id.to_string()];
        self.requests.push(request);
        pages(record, seq.saturating_add(1)..=u64::MAX, |entry| self.take(&entry))?;
        Ok(())
    }

    /// The grants that the decision rests on, as they were given.
    fn look_up_grants(&mut self, record: &dyn StoreReader) -> Result<(), Failure> {
        let Some(explained) = self.explained() else { return Ok(()) };
        let ids: BTreeSet<GrantId> = explained.decision.grants().collect();
        let from = explained.seq;
        for id in ids {
            if let Some(known) = minted(record, from, id)? {
                self.used.push(known);
            }
        }
        Ok(())
    }
}

/// How a grant came about, and the answer beside it.
fn minted(record: &dyn StoreReader, from: u64, id: GrantId) -> Result<Option<Known>, Failure> {
    let text = id.to_string();
    let found = back(record, from, |entry| {
        if entry.kind != Kind::GrantMinted || !entry.bytes.contains(&text) {
            return Ok(None);
        }
        match entry.change()?.1 {
            Change::GrantMinted { grant } if grant.id == id => Ok(Some((entry.seq, *grant))),
            _ => Ok(None),
        }
    })?;
    let Some((seq, grant)) = found else { return Ok(None) };
    let Some(request) = grant.request else { return Ok(Some(Known { grant, by: None })) };
    let by = back(record, seq, |entry| {
        let (at, change) = entry.change()?;
        match change {
            Change::RequestAnswered { answered } if answered.request == request => {
                Ok(Some(Some(Said { at, answered: *answered })))
            }
            // An answer and what it gives are written together.
            _ if at < grant.granted_at => Ok(Some(None)),
            _ => Ok(None),
        }
    })?;
    Ok(Some(Known { grant, by: by.flatten() }))
}

impl What {
    fn of(change: Change) -> Option<Self> {
        let Change::CallDecided { attempt, .. } = change else { return None };
        Some(match attempt {
            Attempt::First(call) => Self {
                session: call.session.clone(),
                agent: call.agent.clone(),
                words: of_call(&call),
                call: Some(call),
            },
            Attempt::Start { draft, .. } => Self {
                words: format!("start of workflow {}", draft.workflow),
                session: draft.session,
                agent: draft.agent,
                call: None,
            },
            Attempt::Ahead { draft, .. } => Self {
                words: draft.ahead.category.as_ref().map_or_else(
                    || "everything, asked for ahead".to_owned(),
                    |category| format!("category {category}, asked for ahead"),
                ),
                session: draft.session,
                agent: draft.agent,
                call: None,
            },
            Attempt::Proposal { draft, proposal } => Self {
                words: format!("proposal {proposal}"),
                session: draft.session,
                agent: draft.agent,
                call: None,
            },
            Attempt::Retry(_) | Attempt::Apply { .. } | Attempt::Malformed { .. } => return None,
        })
    }

    pub(super) fn id(&self) -> Option<CallId> {
        self.call.as_ref().map(|call| call.id)
    }
}

fn of_call(call: &Call) -> String {
    let actions: Vec<&str> = call.actions.iter().map(|action| action.as_str()).collect();
    let mut words = actions.join(", ");
    if let Some(command) = &call.command {
        words.push_str(&format!(": {command}"));
    } else if !call.target.is_empty() {
        words.push_str(&format!(": {}", call.target.join(", ")));
    }
    words
}
