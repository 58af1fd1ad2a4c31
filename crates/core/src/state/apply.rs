//! How each change alters the state. An index of small functions, one per kind.
//!
//! Applying cannot fail: what could stand against a change is looked at first, in `conflict`.

use super::{CallRecord, CallState, Consent, Declined, Failure, Session, Standing, State};
use crate::call::Call;
use crate::change::{Answered, Attempt, Change, Decline, GrantEnding, Hold, Timing};
use crate::decision::{Basis, Decision};
use crate::grant::{GrantState, Scope};
use crate::ids::{CallId, GrantId, RequestId, RunId};
use crate::names::{Agent, Project, SessionName};
use crate::request::{Request, RequestState, Subject};
use crate::run::RunState;
use crate::time::Time;
use crate::words::{Effect, Ending, Outcome, Presence, Reason, Risk, RunEnding};
use std::collections::HashMap;

impl State {
    pub fn apply(&mut self, at: Time, change: &Change) {
        match change {
            Change::GraphLoaded { .. }
            | Change::RuleDecayed { .. }
            | Change::WorkflowBypassed { .. }
            | Change::GestureCovered { .. }
            | Change::NestedCovered { .. }
            | Change::RiskReduced { .. } => {}
            Change::GraphReviewed { .. } => self.review(at),
            Change::SessionOpened { session, agent, project } => {
                self.open_session(session, agent, project.as_ref());
            }
            Change::CallDecided { attempt, decision, .. } => self.decided(at, attempt, decision),
            Change::CallCompleted { call, effect } => self.completed(*call, *effect),
            Change::RequestOpened { request } => self.opened(request),
            Change::RequestAnswered { answered } => self.answered(at, answered),
            Change::GrantMinted { grant } => self.grants.insert((**grant).clone()),
            Change::GrantUsed { grant, call, hold } => self.used(*grant, *call, *hold),
            Change::GrantRevoked { grant } => self.revoked(*grant),
            Change::GrantEnded { grant, why } => self.ended(*grant, *why),
            Change::RunStarted { run } => {
                self.runs.insert(run.id, (**run).clone());
            }
            Change::RunEnded { run, how } => self.run_ended(*run, *how),
            Change::RunReattached { run } => self.set_run(*run, RunState::Live),
            Change::GestureMade { gesture } => {
                self.gestures.insert(gesture.id, (**gesture).clone());
            }
            Change::AgentPaused { agent } => {
                self.paused.insert(agent.clone());
            }
            Change::AgentResumed { agent } => {
                self.paused.remove(agent);
            }
            Change::PresenceChanged { presence } => self.presence = *presence,
            Change::Restarted => self.restarted(),
        }
    }

    fn open_session(&mut self, name: &SessionName, agent: &Agent, project: Option<&Project>) {
        let session = Session {
            agent: agent.clone(),
            project: project.cloned(),
            turn: 0,
            declined: Vec::new(),
            destinations: HashMap::new(),
            failures: Vec::new(),
        };
        self.sessions.entry(name.clone()).or_insert(session);
    }

    /// A review renews every project grant.
    fn review(&mut self, at: Time) {
        for grant in self.grants.iter_mut().filter(|grant| grant.scope == Scope::Project) {
            grant.reviewed_at = at;
        }
    }

    fn decided(&mut self, at: Time, attempt: &Attempt, decision: &Decision) {
        let id = match attempt {
            Attempt::First(call) => {
                self.calls.insert(call.id, new_record(call, decision));
                call.id
            }
            Attempt::Retry(id) => *id,
            Attempt::Start { .. } | Attempt::Ahead { .. } | Attempt::Malformed { .. } => return,
        };
        if decision.reason == Reason::AlreadyDone {
            return;
        }
        match decision.outcome {
            Outcome::Allow | Outcome::Notify => self.set_off(at, id, decision),
            Outcome::Ask => self.parked(at, id),
            Outcome::Deny => self.denied(id, decision),
        }
    }

    fn set_off(&mut self, at: Time, id: CallId, decision: &Decision) {
        let Some(record) = self.calls.get_mut(&id) else { return };
        record.state = CallState::Executing;
        record.consent = consent_of(decision);
        record.card_risk = highest(decision);
        let session = self.sessions.get_mut(&record.call.session);
        if let Some(session) = session {
            for first in decision.verdicts.iter().filter_map(|v| v.destination.as_ref()) {
                let event = (first.domain.clone(), first.event);
                session.destinations.entry(event).or_insert_with(|| first.target.clone());
            }
        }
        if let Some(run) = record.call.run.and_then(|run| self.runs.get_mut(&run)) {
            run.active_at = at;
        }
    }

    /// The call joins every open request about the same digest, and counts inside its parent.
    fn parked(&mut self, at: Time, id: CallId) {
        let Some(record) = self.calls.get_mut(&id) else { return };
        if !matches!(record.state, CallState::Ended(_)) {
            record.state = CallState::Parked;
        }
        let (digest, session) = (record.call.digest, record.call.session.clone());
        let parent = record.call.observed.parent;
        for request in self.requests.values_mut().filter(|r| r.digest == digest && r.is_open(at)) {
            if request.session == session {
                join(request, id);
                if let Some(record) = self.calls.get_mut(&id) {
                    remember(&mut record.requests, request.id);
                }
            }
        }
        if let Some(outer) = parent.and_then(|parent| self.calls.get_mut(&parent)) {
            if outer.state == CallState::Executing && !outer.questions.contains(&digest) {
                outer.questions.push(digest);
            }
        }
    }

    /// One question too many ends the call that it came from.
    fn denied(&mut self, id: CallId, decision: &Decision) {
        if decision.reason != Reason::TooManyAsks {
            return;
        }
        let parent = self.calls.get(&id).and_then(|record| record.call.observed.parent);
        if let Some(parent) = parent {
            self.withdraw(parent);
            self.settle_holds(parent, Effect::Unknown);
            if let Some(record) = self.calls.get_mut(&parent) {
                record.state = CallState::Declined;
            }
        }
    }

    fn completed(&mut self, id: CallId, effect: Effect) {
        self.settle_holds(id, effect);
        let Some(record) = self.calls.get_mut(&id) else { return };
        record.state = CallState::Ended(effect);
        let derived =
            record.consent.grants.iter().any(|grant| {
                self.grants.get(*grant).is_some_and(|grant| grant.scope == Scope::Run)
            });
        let call = &record.call;
        let Some(session) = self.sessions.get_mut(&call.session) else { return };
        match effect {
            Effect::Done => session.failures.retain(|failure| failure.digest != call.digest),
            Effect::Failed | Effect::Nothing if derived => {
                session.failures.extend(call.actions.iter().map(|action| Failure {
                    action: action.clone(),
                    target: call.target.clone(),
                    digest: call.digest,
                }));
            }
            Effect::Failed | Effect::Nothing | Effect::Forbidden | Effect::Unknown => {}
        }
    }

    /// A once-grant is spent unless our own executor attests that nothing happened.
    fn settle_holds(&mut self, by: CallId, effect: Effect) {
        let Some(digest) = self.calls.get(&by).map(|record| record.call.digest) else { return };
        for grant in self.grants.iter_mut() {
            if grant.state == (GrantState::Reserved { by }) {
                grant.state = match effect {
                    Effect::Nothing => GrantState::Released { only: digest },
                    Effect::Done | Effect::Failed | Effect::Forbidden | Effect::Unknown => {
                        GrantState::Spent
                    }
                };
            }
        }
    }

    fn opened(&mut self, request: &Request) {
        if let Subject::Calls(calls) = &request.subject {
            for call in calls {
                if let Some(record) = self.calls.get_mut(call) {
                    remember(&mut record.requests, request.id);
                }
            }
        }
        self.requests.insert(request.id, request.clone());
    }

    fn answered(&mut self, at: Time, answered: &Answered) {
        let Some(request) = self.requests.get_mut(&answered.request) else { return };
        if answered.timing == Timing::Late {
            return;
        }
        for (at, choice) in &answered.items {
            if let Some(item) = request.items.get_mut(*at) {
                item.answer = Some(*choice);
            }
        }
        if let Some(ending) = answered.ending {
            request.state = RequestState::Closed(ending);
        }
        let (session, subject) = (request.session.clone(), request.subject.clone());
        for decline in &answered.declines {
            self.remember_decline(at, &session, decline, &answered.note);
        }
        if let Some(session) = self.sessions.get_mut(&session) {
            session.declined.retain(|declined| !answered.cleared.contains(declined));
            session.failures.retain(|failure| {
                !answered
                    .cleared
                    .iter()
                    .any(|(action, target)| *action == failure.action && *target == failure.target)
            });
        }
        if let (Subject::Calls(calls), Some(ending)) = (subject, answered.ending) {
            calls.into_iter().for_each(|call| self.resolve_call(call, ending));
        }
    }

    fn remember_decline(&mut self, at: Time, session: &SessionName, decline: &Decline, note: &str) {
        self.declined.insert(decline.lasting, Declined { at, note: note.to_owned() });
        let Some(session) = self.sessions.get_mut(session) else { return };
        if let Some(action) = &decline.action {
            let refused = (action.clone(), decline.target.clone());
            if !session.declined.contains(&refused) {
                session.declined.push(refused);
            }
        }
    }

    /// What the end of a request means for a call that waits on it.
    fn resolve_call(&mut self, id: CallId, ending: Ending) {
        let Some(record) = self.calls.get(&id) else { return };
        if !matches!(record.state, CallState::Parked | CallState::Approved) {
            return;
        }
        let all_approved = record.requests.iter().all(|request| {
            self.requests
                .get(request)
                .is_some_and(|request| request.state == RequestState::Closed(Ending::Approved))
        });
        let state = match ending {
            Ending::Declined => CallState::Declined,
            Ending::Expired => CallState::Expired,
            Ending::Approved if all_approved => CallState::Approved,
            Ending::Approved | Ending::Cancelled => return,
        };
        if let Some(record) = self.calls.get_mut(&id) {
            record.state = state;
        }
    }

    fn used(&mut self, id: GrantId, call: CallId, hold: Hold) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.uses += 1;
            match hold {
                Hold::Counted => {}
                Hold::Reserved => grant.state = GrantState::Reserved { by: call },
                Hold::Spent => grant.state = GrantState::Spent,
            }
        }
    }

    fn revoked(&mut self, id: GrantId) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.state = GrantState::Revoked;
        }
        self.withdraw_users(id);
    }

    fn ended(&mut self, id: GrantId, why: GrantEnding) {
        if let Some(grant) = self.grants.get_mut(id) {
            grant.state = GrantState::Ended;
        }
        match why {
            GrantEnding::RunOver => self.withdraw_users(id),
            // What began in time may finish; a declined item's call never began.
            GrantEnding::Time | GrantEnding::ItemDeclined => {}
        }
    }

    fn withdraw_users(&mut self, grant: GrantId) {
        let users: Vec<_> = self
            .calls
            .values()
            .filter(|record| {
                record.state == CallState::Executing && record.consent.grants.contains(&grant)
            })
            .map(|record| record.call.id)
            .collect();
        users.into_iter().for_each(|user| self.withdraw(user));
    }

    /// Withdraws the consent of a running call and of everything nested in it.
    pub(super) fn withdraw(&mut self, id: CallId) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let Some(record) = self.calls.get_mut(&id) else { continue };
            if record.consent.standing == Standing::Withdrawn {
                continue;
            }
            record.consent.standing = Standing::Withdrawn;
            waiting.extend(
                self.calls
                    .values()
                    .filter(|inner| inner.consent.parent == Some(id))
                    .map(|inner| inner.call.id),
            );
        }
    }

    fn run_ended(&mut self, run: RunId, how: RunEnding) {
        self.set_run(run, RunState::Ended(how));
    }

    fn set_run(&mut self, run: RunId, state: RunState) {
        if let Some(run) = self.runs.get_mut(&run) {
            run.state = state;
        }
    }

    /// Nobody is known to be near, no click is held open, and what ran may or may not have.
    fn restarted(&mut self) {
        self.presence = Presence::Unknown;
        self.gestures.clear();
        for run in self.runs.values_mut().filter(|run| run.state == RunState::Live) {
            run.state = RunState::Suspended;
        }
        let running: Vec<_> = self
            .calls
            .values()
            .filter(|record| record.state == CallState::Executing)
            .map(|record| record.call.id)
            .collect();
        running.into_iter().for_each(|call| self.completed(call, Effect::Unknown));
    }
}

fn new_record(call: &Call, decision: &Decision) -> CallRecord {
    CallRecord {
        call: call.clone(),
        state: CallState::Denied,
        consent: consent_of(decision),
        card_risk: highest(decision),
        requests: Vec::new(),
        questions: Vec::new(),
    }
}

fn highest(decision: &Decision) -> Risk {
    decision.verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::ReadOnly)
}

fn consent_of(decision: &Decision) -> Consent {
    let mut consent = Consent {
        grants: decision.grants().collect(),
        gesture: None,
        parent: None,
        standing: Standing::None,
    };
    for verdict in &decision.verdicts {
        match verdict.basis {
            Basis::Gesture(gesture) => consent.gesture = Some(gesture),
            Basis::Parent(parent) => consent.parent = Some(parent),
            Basis::Call
            | Basis::Rule
            | Basis::NoRule
            | Basis::Grants(_)
            | Basis::Reducer(_)
            | Basis::Decline
            | Basis::Record
            | Basis::Surface => {}
        }
    }
    let given = !consent.grants.is_empty() || consent.gesture.is_some() || consent.parent.is_some();
    if given && decision.goes_ahead() {
        consent.standing = Standing::Given;
    }
    consent
}

fn join(request: &mut Request, call: CallId) {
    if let Subject::Calls(calls) = &mut request.subject {
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
}

fn remember(requests: &mut Vec<RequestId>, id: RequestId) {
    if !requests.contains(&id) {
        requests.push(id);
    }
}
