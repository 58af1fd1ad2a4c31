//! The operator's side of the engine: requests, answers, revocation, gestures, presence, pause.
//!
//! Only the operator may reach this.
//!
//! See docs/decisions/0046-controls-in-a-hurry.md.
//! See docs/decisions/0063-clicks-end-and-open-sessions.md.
//! See docs/decisions/0104-a-click-does-not-open-its-session.md.

use crate::answer_target::AnswerTarget;
use crate::card_calls::Disclosure;
use crate::revocation_queue::PendingRevocation;
use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store};
use countersign_conversation::decline_and_stop;
use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::{Digest, Key};
use countersign_core::model::change::{Change, Gesture};
use countersign_core::model::ids::{CallId, GestureId, GrantId, RequestId};
use countersign_core::model::limits;
use countersign_core::model::names::{Action, Agent, SessionKey, SurfaceName};
use countersign_core::model::request::{Answer, Request};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Presence, Surface};
use countersign_core::state::State;
use countersign_core::steps::lift_declines::lift_shown_call;
use countersign_core::steps::revoke::{Revoke, revoke_grants};
use countersign_core::steps::settle::Settlement;
use countersign_core::{settle, sweep};
use std::sync::Arc;

/// What closing a click did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GestureEnd {
    Closed,
    /// Its time was over, or it was closed before.
    Over,
    OtherSurface,
    Unknown,
}

impl<S: Store> Engine<S> {
    /// The number of open requests of all agents.
    pub fn count_open_requests(&self) -> Result<usize, EngineError> {
        Ok(self.store.count_open_requests(self.current_time()?)?)
    }

    /// A page of the open requests of all agents, oldest first, with what they are about.
    pub fn list_open_requests(
        &self,
        after: Option<RequestId>,
        limit: usize,
    ) -> Result<(Vec<RequestId>, Arc<State>), EngineError> {
        let open = self.store.open_requests(self.current_time()?, after, limit)?;
        let state = self.read_cards(&open)?;
        Ok((open, state))
    }

    /// The part of the state that belongs to no session: presence, paused agents, nodes.
    pub fn read_globals(&self) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::globals())?.state)
    }

    /// A request, open or not, with what it is about, as its card shows it.
    pub fn read_request(&self, request: RequestId) -> Result<Arc<State>, EngineError> {
        let state = self.store.read(&ReadScope::for_requests([request]))?.state;
        self.show_live_calls(state, Disclosure::Marked)
    }

    /// A call, with its session.
    pub fn read_call(&self, call: CallId) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::for_row(RowKey::Call(call)))?.state)
    }

    /// What the operator chose for the items of a call, in all of its requests.
    pub fn read_answers(&self, call: CallId) -> Result<Vec<Choice>, EngineError> {
        let state = self.read_call(call)?;
        let requests = state.calls.get(&call).map_or_else(Vec::new, |call| call.requests.clone());
        let state = self.store.read(&ReadScope::for_requests(requests.iter().copied()))?.state;
        let asked = requests.iter().filter_map(|id| state.requests.get(id));
        let items = asked.flat_map(|request| &request.items);
        Ok(items.filter_map(|item| item.answer).collect())
    }

    /// A key that all nodes on this record have. None if the record has no key, as in memory.
    pub fn derive_key(&self, purpose: &str) -> Option<Key> {
        let key = self.store.key()?;
        let derived = Digest::hash_bytes("countersign derived key", purpose.as_bytes());
        Some(Key::from_bytes(*derived.keyed(Some(key)).bytes()))
    }

    /// Calls without their sessions, for showing what became of them.
    pub fn read_calls(
        &self,
        calls: impl IntoIterator<Item = CallId>,
    ) -> Result<Arc<State>, EngineError> {
        let rows = calls.into_iter().map(RowKey::Call);
        let scope = ReadScope::with_kind(ScopeKind::Requests).with_rows(rows);
        Ok(self.store.read(&scope)?.state)
    }

    /// All grants of projects, for a review.
    pub fn read_project_grants(&self) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::with_kind(ScopeKind::ProjectGrants))?.state)
    }

    /// Answers requests. The surface that the answer came from is recorded, so that others close
    /// their cards.
    pub fn answer(&self, target: AnswerTarget, answer: &Answer) -> Result<Settlement, EngineError> {
        self.check_ready()?;
        // A yes for the project lifts declines in its other sessions.
        let own = target.scope();
        let scope = if answer.is_for_project() { own.with_project_sessions() } else { own };
        self.settle_anytime(target, &scope, |facts, requests| settle(facts, requests, answer))
    }

    /// Answers with a no, and stops the session in the same commit. If the store does not take it,
    /// that is an error, and this engine decides nothing until it is written.
    pub fn decline_and_stop(
        &self,
        target: AnswerTarget,
        answer: &Answer,
    ) -> Result<Settlement, EngineError> {
        let result = self.check_open().and_then(|()| self.write_decline_and_stop(target, answer));
        let stop = || PendingRevocation::DeclineAndStop(target, Box::new(answer.clone()));
        self.queue_if_unwritten(stop, result)
    }

    pub(crate) fn write_decline_and_stop(
        &self,
        target: AnswerTarget,
        answer: &Answer,
    ) -> Result<Settlement, EngineError> {
        let settle =
            |facts: &Facts, requests: &[&Request]| decline_and_stop(facts, requests, answer);
        self.settle_anytime(target, &target.scope().with_project_sessions(), settle)
    }

    fn settle_anytime(
        &self,
        target: AnswerTarget,
        scope: &ReadScope,
        settle: impl Fn(&Facts, &[&Request]) -> Settlement,
    ) -> Result<Settlement, EngineError> {
        self.run_step_anytime(scope, |facts, _| {
            let requests: Vec<&Request> =
                facts.state.requests.values().filter(|r| target.matches(facts.state, r)).collect();
            let settlement = settle(facts, &requests);
            let changes = settlement.changes.clone();
            (settlement, changes)
        })
    }

    /// Revokes, and returns the grants that it ended. If the store does not take it, that is an
    /// error, and this engine decides nothing until it is written.
    pub fn revoke(&self, session: &SessionKey, what: &Revoke) -> Result<Vec<GrantId>, EngineError> {
        let result = self.check_open().and_then(|()| self.write_revocation(session, what));
        let revocation = || PendingRevocation::Revoke(session.clone(), what.clone());
        self.queue_if_unwritten(revocation, result)
    }

    pub(crate) fn write_revocation(
        &self,
        session: &SessionKey,
        what: &Revoke,
    ) -> Result<Vec<GrantId>, EngineError> {
        let named = match what {
            Revoke::Grants(ids) => ids.as_slice(),
            Revoke::Command(_)
            | Revoke::Action(_)
            | Revoke::Category(_)
            | Revoke::Workflow(_)
            | Revoke::All => &[],
        };
        let scope = ReadScope::for_session(session)
            .with_rows(named.iter().copied().map(RowKey::Grant))
            .with_project_sessions();
        self.run_step_anytime(&scope, |facts, _| {
            let changes = revoke_grants(facts, session, what, Speaker::Operator);
            (changes.iter().filter_map(revoked_grant).collect(), changes)
        })
    }

    /// Records an operator's click and the actions that it declares.
    pub fn record_gesture(
        &self,
        session: &SessionKey,
        declares: &[Action],
        shows: Option<CallId>,
        surface: Option<&SurfaceName>,
    ) -> Result<GestureId, EngineError> {
        let scope = ReadScope::for_session(session).with_rows(shows.map(RowKey::Call));
        self.run_step(&scope, |facts, _| {
            let mut gesture = new_gesture(facts, session, declares, shows);
            gesture.surface = surface.cloned();
            let shown = shows.and_then(|call| facts.state.calls.get(&call));
            let mut changes =
                shown.map(|shown| lift_shown_call(facts, &gesture, shown)).unwrap_or_default();
            let id = gesture.id;
            changes.push(Change::GestureMade { gesture: Box::new(gesture) });
            (id, changes)
        })
    }

    /// The surface of a click closes it: what follows is not covered any more.
    pub fn close_gesture(
        &self,
        session: &SessionKey,
        id: GestureId,
        surface: Option<&SurfaceName>,
    ) -> Result<GestureEnd, EngineError> {
        self.run_step(&ReadScope::for_session(session), |facts, _| {
            let known = facts.state.gestures.get(&id).filter(|known| known.session == *session);
            match known {
                None => (GestureEnd::Unknown, Vec::new()),
                Some(known) if known.surface.is_some() && known.surface.as_ref() != surface => {
                    (GestureEnd::OtherSurface, Vec::new())
                }
                Some(known) if known.ends_at <= facts.now => (GestureEnd::Over, Vec::new()),
                Some(_) => (GestureEnd::Closed, vec![Change::GestureClosed { gesture: id }]),
            }
        })
    }

    /// Records whether the operator is present, if that has changed.
    pub fn set_presence(&self, presence: Presence) -> Result<(), EngineError> {
        self.run_step(&ReadScope::globals(), |facts, _| {
            let has_changed = facts.state.presence != presence;
            let change = has_changed.then_some(Change::PresenceChanged { presence });
            ((), change.into_iter().collect())
        })
    }

    /// Sets whether an operator can be asked on some surface.
    pub fn set_surface(&self, surface: Surface) -> Result<(), EngineError> {
        *self.surface.lock().map_err(|_| EngineError::Damaged)? = surface;
        Ok(())
    }

    pub(crate) fn surface(&self) -> Result<Surface, EngineError> {
        self.surface.lock().map(|surface| *surface).map_err(|_| EngineError::Damaged)
    }

    /// Every agent that ever opened a session.
    pub fn agents_seen(&self) -> Result<Vec<Agent>, EngineError> {
        Ok(self.store.agents_seen()?)
    }

    /// Pauses an agent. If the store does not take it, this engine decides nothing until it is
    /// written.
    pub fn pause_agent(&self, agent: &Agent) -> Result<(), EngineError> {
        let result = self.write_pause(agent);
        self.queue_if_unwritten(|| PendingRevocation::Pause(agent.clone()), result)
    }

    pub(crate) fn write_pause(&self, agent: &Agent) -> Result<(), EngineError> {
        self.run_step_anytime(&ReadScope::globals(), |_, _| {
            ((), vec![Change::AgentPaused { agent: agent.clone() }])
        })
    }

    /// Ends the pause of an agent, or of all, and the stops of their sessions. False if there was
    /// neither.
    pub fn resume_agent(&self, agent: &Agent) -> Result<bool, EngineError> {
        let is_meant = |one: &Agent| agent.is_everyone() || one == agent;
        let open = self.store.open_sessions(crate::limits::MAX_RESUMED_SESSIONS)?;
        let sessions: Vec<SessionKey> =
            open.into_iter().filter(|session| is_meant(&session.to_agent())).collect();
        let scope = sessions.iter().fold(ReadScope::globals(), ReadScope::with_session);
        self.run_step(&scope, |facts, _| {
            let paused = facts.state.paused.iter().filter(|paused| is_meant(paused));
            let resumed = paused.map(|paused| Change::AgentResumed { agent: paused.clone() });
            let is_stopped =
                |session: &&SessionKey| facts.state.mode(session, facts.now).is_stopped();
            let stopped = sessions.iter().filter(is_stopped);
            let go_on = stopped.map(|session| Change::StopEnded { session: session.clone() });
            let changes: Vec<Change> = resumed.chain(go_on).collect();
            (!changes.is_empty(), changes)
        })
    }

    /// Records what has expired. A session that was silent for too long ends with any step in it.
    pub fn sweep(&self) -> Result<(), EngineError> {
        for session in self.store.sessions_due(self.current_time()?)? {
            let scope = ReadScope::for_session(&session);
            self.run_step_anytime(&scope, |facts, _| ((), sweep(facts)))?;
        }
        self.update_review_notices()
    }
}

fn revoked_grant(change: &Change) -> Option<GrantId> {
    let Change::GrantRevoked { grant, .. } = change else { return None };
    Some(*grant)
}

fn new_gesture(
    facts: &Facts,
    session: &SessionKey,
    declares: &[Action],
    shows: Option<CallId>,
) -> Gesture {
    let shown = shows.and_then(|call| facts.state.calls.get(&call));
    Gesture {
        id: GestureId::generate(facts.ids),
        session: session.clone(),
        declares: declares.to_vec(),
        shows: shown.map(|record| record.call.digest),
        ends_at: facts.now + limits::GESTURE,
        node: facts.node.clone(),
        surface: None,
    }
}
