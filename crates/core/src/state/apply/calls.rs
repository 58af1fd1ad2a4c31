//! Applies decisions and executions to call records.

use super::answers::remember_request;
use crate::model::call::{Call, Part};
use crate::model::change::Attempt;
use crate::model::decision::{ConsentBasis, Decision, Verdict};
use crate::model::ids::{CallId, GrantId};
use crate::model::limits;
use crate::model::names::{Action, NodeName};
use crate::model::node::{Node, Uptime};
use crate::model::run::{Run, RunState};
use crate::model::time::Time;
use crate::model::words::{Effect, Outcome, Presence, Reason, Risk};
use crate::state::{
    CallRecord, CallState, Consent, ConsentStanding, DeclaredConsent, FailedCall, State,
};
use std::sync::Arc;

impl State {
    pub(in crate::state) fn apply_decision(
        &mut self,
        at: Time,
        attempt: &Attempt,
        decision: &Decision,
        node: &NodeName,
    ) {
        let id = match attempt {
            Attempt::First(call) => {
                self.record_activity(at, &call.session);
                let opening = self.latest_opening(&call.session);
                self.calls.insert(call.id, new_record(call, opening, decision, node));
                self.count_deviation(call, decision);
                call.id
            }
            Attempt::Retry(id) => *id,
            Attempt::Start { draft, .. } => return self.record_activity(at, &draft.session),
            Attempt::Ahead { draft, .. } => return self.record_activity(at, &draft.session),
            Attempt::Proposal { .. } | Attempt::Apply { .. } | Attempt::Malformed { .. } => return,
        };
        if decision.reason == Reason::AlreadyDone {
            return;
        }
        match decision.outcome {
            Outcome::Allow | Outcome::Notify => self.start_call(at, id, decision, node),
            Outcome::Ask => self.park_call(at, id),
            Outcome::Deny => self.apply_denial(id, decision),
        }
    }

    /// Counts a call that asks because it is not in the accepted plan of its session.
    fn count_deviation(&mut self, call: &Call, decision: &Decision) {
        let accepted = self.sessions.get(&call.session).map_or(&[][..], |row| &row.accepted);
        let mut done = decision.verdicts.iter().filter(|verdict| verdict.part == Part::Named);
        let is_planned = done.all(|verdict| accepted.contains(&verdict.action));
        if decision.outcome != Outcome::Ask || accepted.is_empty() || is_planned {
            return;
        }
        if let Some(run) = call.run.and_then(|run| self.runs.get_mut(&run)) {
            run.deviations = run.deviations.saturating_add(1);
        }
    }

    pub(in crate::state) fn start_call(
        &mut self,
        at: Time,
        id: CallId,
        decision: &Decision,
        node: &NodeName,
    ) {
        let Some(record) = self.calls.get_mut(&id) else { return };
        record.state = CallState::Executing;
        record.consent = consent_from(decision);
        record.card_risk = highest_risk(decision);
        record.decided = decided_actions(decision);
        record.node.clone_from(node);
        let turn = self.sessions.get(&record.call.session).map_or(0, |session| session.turn);
        let mut first = decision.verdicts.iter().filter_map(|v| v.destination.as_ref()).peekable();
        // `get_mut` marks the session as touched, so it is called only if something changes.
        if first.peek().is_some()
            && let Some(session) = self.sessions.get_mut(&record.call.session)
        {
            for first in first {
                let events =
                    session.restraints.destinations.entry(first.domain.clone()).or_default();
                events.entry(first.event).or_insert_with(|| first.target.clone());
            }
        }
        if let Some(run) = record.call.run.and_then(|run| self.runs.get_mut(&run)) {
            run.active_at = at;
            run.active_turn = turn;
            if record.call.step.is_some() {
                run.step.clone_from(&record.call.step);
            }
            run.node.clone_from(node);
        }
    }

    /// Adds the call to every open request with the same digest, and to the questions of its parent.
    pub(in crate::state) fn park_call(&mut self, at: Time, id: CallId) {
        let Some(record) = self.calls.get_mut(&id) else { return };
        // A call whose effect is unknown keeps that state while the operator is asked.
        if record.state != CallState::Ended(Effect::Unknown) {
            record.state = CallState::Parked;
        }
        let (digest, session) = (record.call.digest, record.call.session.clone());
        let (parent, agent) = (record.call.observed.parent, record.call.agent.clone());
        let open: Vec<_> = self
            .requests
            .with_digest(&digest)
            .filter(|request| request.session == session && request.is_open(at))
            .map(|request| request.id)
            .collect();
        for open in open {
            let record = self.calls.get_mut(&id);
            let has_joined = record.is_some_and(|r| remember_request(&mut r.requests, open));
            if has_joined && let Some(request) = self.requests.get_mut(&open) {
                request.add_call(id);
            }
        }
        let inside = parent.filter(|parent| self.running(*parent, &session, &agent, at).is_some());
        if let Some(outer) = inside.and_then(|parent| self.calls.get_mut(&parent))
            && !outer.questions.contains(&digest)
        {
            outer.questions.push(digest);
        }
    }

    /// A question above the limit ends the parent call that it came from.
    pub(in crate::state) fn apply_denial(&mut self, id: CallId, decision: &Decision) {
        if decision.reason != Reason::TooManyAsks {
            return;
        }
        let parent = self.calls.get(&id).and_then(|record| record.call.observed.parent);
        if let Some(parent) = parent {
            self.withdraw_consent(parent);
            self.settle_reservations(parent, Effect::Unknown);
            if let Some(record) = self.calls.get_mut(&parent) {
                record.state = CallState::Declined;
            }
        }
    }

    pub(in crate::state) fn complete_call(&mut self, id: CallId, effect: Effect) {
        self.settle_reservations(id, effect);
        let Some(record) = self.calls.get_mut(&id) else { return };
        record.state = CallState::Ended(effect);
        let call = &record.call;
        let failed = |failure: &FailedCall| failure.digest == call.digest;
        // The session is touched only if it lists a failure of this call.
        let known = self.sessions.get(&call.session);
        let known = known.is_some_and(|session| session.failures.iter().any(failed));
        match effect {
            Effect::Done if known => {
                if let Some(session) = self.sessions.get_mut(&call.session) {
                    session.failures.retain(|failure| !failed(failure));
                }
            }
            // Whatever consent it ran on: the next attempt may run on consent for a task.
            Effect::Failed | Effect::Nothing | Effect::Unknown if !known => {
                if let Some(session) = self.sessions.get_mut(&call.session) {
                    let free = limits::FAILURES_PER_SESSION.saturating_sub(session.failures.len());
                    let failures = record.decided.iter().take(free).map(|action| FailedCall {
                        action: action.clone(),
                        target: call.acts_on(),
                        digest: call.digest,
                    });
                    session.failures.extend(failures);
                }
            }
            Effect::Done
            | Effect::Failed
            | Effect::Nothing
            | Effect::Forbidden
            | Effect::Unknown => {}
        }
    }

    /// Only a call that waits can be cancelled.
    pub(in crate::state) fn cancel_call(&mut self, id: CallId) {
        let Some(record) = self.calls.get(&id).filter(|record| record.is_waiting()) else { return };
        let requests = record.requests.clone();
        if let Some(record) = self.calls.get_mut(&id) {
            record.state = CallState::Cancelled;
        }
        requests.into_iter().for_each(|request| self.leave_request(request, id));
    }

    /// After a restart presence is unknown, the node's gestures are gone, its runs are suspended, and
    /// the effect of its running calls is unknown. Other nodes are not affected.
    pub(in crate::state) fn restart_node(
        &mut self,
        at: Time,
        node: &NodeName,
        uptime: Option<&Uptime>,
    ) {
        self.nodes.insert(node.clone(), Node { began_at: at, uptime: uptime.cloned() });
        self.presence = Presence::Unknown;
        self.gestures.retain(|gesture| gesture.node != *node);
        let ran = |run: &Run| !matches!(run.state, RunState::Ended(_)) && run.node == *node;
        self.runs.change(ran, |run| {
            run.state = RunState::Suspended;
            run.reattach_until = Some(at + limits::RUN_REATTACH);
        });
        let running: Vec<_> = self
            .calls
            .values()
            .filter(|record| record.state == CallState::Executing && record.node == *node)
            .map(|record| record.call.id)
            .collect();
        running.into_iter().for_each(|call| self.complete_call(call, Effect::Unknown));
    }
}

fn new_record(call: &Arc<Call>, opening: u32, decision: &Decision, node: &NodeName) -> CallRecord {
    CallRecord {
        call: Arc::clone(call),
        opening,
        decided: decided_actions(decision),
        state: CallState::Denied,
        consent: consent_from(decision),
        card_risk: highest_risk(decision),
        requests: Vec::new(),
        questions: Vec::new(),
        node: node.clone(),
        repeat: None,
    }
}

fn decided_actions(decision: &Decision) -> Vec<Action> {
    let named = decision.verdicts.iter().filter(|verdict| verdict.part == Part::Named);
    named.map(|verdict| verdict.action.clone()).collect()
}

fn highest_risk(decision: &Decision) -> Risk {
    decision.verdicts.iter().map(|verdict| verdict.risk).max().unwrap_or(Risk::ReadOnly)
}

fn consent_from(decision: &Decision) -> Consent {
    let mut consent = Consent {
        grants: decision.grants().collect(),
        gesture: None,
        parent: None,
        standing: ConsentStanding::None,
        actions: Vec::new(),
        declared: list_declared_consent(decision),
    };
    for verdict in &decision.verdicts {
        match verdict.basis.consent() {
            Some(ConsentBasis::Gesture(gesture)) => consent.gesture = Some(gesture),
            Some(ConsentBasis::Parent(parent)) => consent.parent = Some(parent),
            Some(ConsentBasis::Grants(_)) | None => {}
        }
    }
    if decision.goes_ahead() {
        let consented = decision.verdicts.iter().filter(|verdict| rests_on_consent(verdict));
        consent.actions = consented.map(|verdict| verdict.action.clone()).collect();
    }
    if !consent.actions.is_empty() {
        consent.standing = ConsentStanding::Given;
    }
    consent
}

/// The grants that no named action of the call needs, with the declared actions that do.
fn list_declared_consent(decision: &Decision) -> Vec<DeclaredConsent> {
    let grants = |verdict: &Verdict| match verdict.basis.consent() {
        Some(ConsentBasis::Grants(ids)) => ids.to_vec(),
        Some(ConsentBasis::Gesture(_) | ConsentBasis::Parent(_)) | None => Vec::new(),
    };
    let (named, declared): (Vec<_>, Vec<_>) =
        decision.verdicts.iter().partition(|verdict| verdict.part == Part::Named);
    let needed: Vec<GrantId> = named.into_iter().flat_map(grants).collect();
    let items = declared.into_iter().flat_map(|verdict| {
        let action = &verdict.action;
        let own = grants(verdict).into_iter().filter(|grant| !needed.contains(grant));
        own.map(|grant| DeclaredConsent { grant, action: action.clone() }).collect::<Vec<_>>()
    });
    items.collect()
}

/// Whether the operator consented to this action, as opposed to a rule, a notice, idleness or a
/// reducer that let it pass.
fn rests_on_consent(verdict: &Verdict) -> bool {
    verdict.outcome == Outcome::Allow && verdict.basis.consent().is_some()
}
