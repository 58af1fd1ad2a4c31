//! What an agent reads of its own: its ask-aheads, its runs and their starts, its consent.
//!
//! Everything here belongs to one session and agent. Nothing of another one is visible.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, SessionOwner, Store};
use countersign_conversation::{consent, find_grant_of};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Coverage, Grant, Owner, Scope};
use countersign_core::model::ids::{GrantId, RequestId, RunId};
use countersign_core::model::limits;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Ending, RunEnding};
use countersign_core::state::{CallRecord, State};
use countersign_core::steps::settle::request_closed;
use countersign_core::steps::sweep::end_run;

/// An ask-ahead, and the grant that its yes minted, whatever became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnQuestion {
    pub request: Request,
    pub grant: Option<Grant>,
    pub now: Time,
}

/// A run, or the request to start it, and the run's own grant.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnRun {
    pub run: Option<Run>,
    pub request: Option<Request>,
    pub grant: Option<Grant>,
    pub now: Time,
}

/// Whether an agent's question was withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdrawal {
    Recorded,
    /// It had ended before.
    TooLate,
    Unknown,
}

/// What holds for an agent in one session, and what it waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnConsent {
    pub grants: Vec<Grant>,
    /// The open requests.
    pub requests: Vec<Request>,
    /// The calls that wait, are approved or run, each with the grant that it rests on.
    pub calls: Vec<(CallRecord, Option<Grant>)>,
    /// The live runs.
    pub runs: Vec<Run>,
    /// The consent in force, as the conversation lists it.
    pub lines: Vec<String>,
}

impl OwnQuestion {
    pub fn is_open(&self) -> bool {
        self.request.is_open(self.now)
    }
}

impl OwnRun {
    /// Whether the start still waits for an answer.
    pub fn is_waiting(&self) -> bool {
        self.run.is_none() && self.request.as_ref().is_some_and(|r| r.is_open(self.now))
    }
}

impl<S: Store> Engine<S> {
    /// An ask-ahead. None if this session and agent did not ask it.
    pub fn read_question(
        &self,
        id: RequestId,
        owner: &SessionOwner,
    ) -> Result<Option<OwnQuestion>, EngineError> {
        let now = self.current_time()?;
        let state = self.store.read(&ReadScope::for_requests([id]))?.state;
        let asked = state.requests.get(&id).filter(|request| is_own_ahead(request, owner));
        let Some(request) = asked.cloned() else { return Ok(None) };
        let grant = self.find_grant(request.grant)?;
        Ok(Some(OwnQuestion { request, grant, now }))
    }

    /// Withdraws an ask-ahead that is still open.
    pub fn withdraw_question(
        &self,
        id: RequestId,
        owner: &SessionOwner,
    ) -> Result<Withdrawal, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Request(id)]);
        self.run_step(&scope, |facts, _| {
            let asked = facts.state.requests.get(&id).filter(|r| is_own_ahead(r, owner));
            match asked {
                None => (Withdrawal::Unknown, Vec::new()),
                Some(request) if request.is_open(facts.now) => {
                    (Withdrawal::Recorded, vec![request_closed(id, Ending::Cancelled)])
                }
                Some(_) => (Withdrawal::TooLate, Vec::new()),
            }
        })
    }

    /// A run or its start. None if it is not of this session and agent.
    pub fn read_own_run(
        &self,
        id: RunId,
        owner: &SessionOwner,
    ) -> Result<Option<OwnRun>, EngineError> {
        let now = self.current_time()?;
        let scope = ReadScope::with_kind(ScopeKind::Requests).with_rows([RowKey::Run(id)]);
        let state = self.store.read(&scope)?.state;
        let run = state.runs.get(&id).filter(|run| is_own_run(run, owner)).cloned();
        let request = find_start(&state, id, owner).cloned();
        if run.is_none() && request.is_none() {
            return Ok(None);
        }
        let grant = self.find_grant(run.as_ref().and_then(|run| run.grant))?;
        Ok(Some(OwnRun { run, request, grant, now }))
    }

    /// Ends a run as cancelled, or withdraws its start while that waits. False if there was nothing
    /// to cancel.
    pub fn cancel_run(&self, id: RunId, owner: &SessionOwner) -> Result<bool, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Run(id)]);
        self.run_step(&scope, |facts, _| {
            let changes = cancel_changes(facts, id, owner);
            (!changes.is_empty(), changes)
        })
    }

    /// The consent in force for an agent in one session, its open requests and its unfinished calls.
    pub fn list_own_consent(&self, owner: &SessionOwner) -> Result<OwnConsent, EngineError> {
        self.run_step_anytime(&ReadScope::for_session(&owner.session), |facts, _| {
            (collect_consent(facts, owner), Vec::new())
        })
    }

    fn find_grant(&self, id: Option<GrantId>) -> Result<Option<Grant>, EngineError> {
        let Some(id) = id else { return Ok(None) };
        let scope = ReadScope::with_kind(ScopeKind::Requests).with_rows([RowKey::Grant(id)]);
        Ok(self.store.read(&scope)?.state.grants.get(id).cloned())
    }
}

fn is_own_ahead(request: &Request, owner: &SessionOwner) -> bool {
    is_own_request(request, owner) && matches!(request.subject, Subject::Ahead(_))
}

fn is_own_request(request: &Request, owner: &SessionOwner) -> bool {
    request.session == owner.session && request.agent == owner.agent
}

fn is_own_run(run: &Run, owner: &SessionOwner) -> bool {
    run.session == owner.session && run.agent == owner.agent
}

fn find_start<'a>(state: &'a State, run: RunId, owner: &SessionOwner) -> Option<&'a Request> {
    state.requests.values().find(|r| r.starts(run) && is_own_request(r, owner))
}

fn cancel_changes(facts: &Facts, id: RunId, owner: &SessionOwner) -> Vec<Change> {
    if let Some(run) = facts.state.runs.get(&id).filter(|run| is_own_run(run, owner)) {
        return end_run(facts, run, RunEnding::Cancelled);
    }
    let start = find_start(facts.state, id, owner).filter(|start| start.is_open(facts.now));
    start.map(|start| request_closed(start.id, Ending::Cancelled)).into_iter().collect()
}

fn collect_consent(facts: &Facts, owner: &SessionOwner) -> OwnConsent {
    let state = facts.state;
    let Some(session) = state.open_session(&owner.session, facts.now) else {
        return OwnConsent::default();
    };
    let is_here = |grant: &Grant| match &grant.owner {
        Owner::Session(key) => *key == owner.session,
        Owner::Project(project) => session.project.as_ref() == Some(project),
        Owner::User => false,
    };
    let grants = state.grants.iter().filter(|grant| grant.agent == owner.agent && is_here(grant));
    // A session that was ended and opened again has calls of its own.
    let is_own_call =
        |record: &&CallRecord| owner.is_maker_of(&record.call) && record.opening == session.opening;
    let calls = state.calls.values().filter(is_own_call);
    OwnConsent {
        grants: grants.filter(|grant| carries_calls(facts, grant)).cloned().collect(),
        requests: state
            .open_requests(&owner.session, facts.now)
            .filter(|request| is_own_request(request, owner))
            .cloned()
            .collect(),
        calls: calls
            .filter(|record| !record.state.is_over())
            .map(|record| (record.clone(), find_grant_of(state, record, facts.now).cloned()))
            .collect(),
        runs: state
            .runs
            .values()
            .filter(|run| is_own_run(run, owner) && run.is_live(facts.now))
            .cloned()
            .collect(),
        lines: consent(facts, &owner.session),
    }
}

/// Whether a grant can carry a call now. A pinned program, the grant of a suspended run and a
/// project's grant that is due for review cannot.
fn carries_calls(facts: &Facts, grant: &Grant) -> bool {
    let is_suspended = grant
        .run
        .and_then(|run| facts.state.runs.get(&run))
        .is_some_and(|run| run.state != RunState::Live || run.is_over(facts.now));
    let days = facts.graph.map_or(limits::PROJECT_REVIEW_DAYS, |g| i64::from(g.review_days));
    let is_due = grant.scope == Scope::Project && facts.now >= grant.reviewed_at + Span::days(days);
    grant.in_force(facts.now)
        && !is_suspended
        && !is_due
        && !matches!(grant.coverage, Coverage::Program(_))
}
