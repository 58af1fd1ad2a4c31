//! An operator's side of the engine: answers, grants, revocation, gestures, review, pause.
//!
//! No agent-facing room may hand any of this on.

use crate::rules::InForce;
use crate::unwritten::Tightening;
use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::{Change, Gesture, GraphSource};
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Scope};
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, GestureId, GrantId, RequestId, RunId};
use countersign_core::model::limits;
use countersign_core::model::names::{Action, Agent, Project, SessionName, SurfaceName};
use countersign_core::model::request::{Answer, Request, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Presence, Surface};
use countersign_core::state::State;
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::revoke::revoke_grants;
use countersign_core::steps::settle::{Settlement, give};
use countersign_core::{settle, sweep};
use countersign_graph::policies::CompiledPolicies as Policies;
use std::sync::Arc;

/// Which question an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// All cards of one call.
    Call(CallId),
    Request(RequestId),
    /// The start of a run.
    Start(RunId),
}

impl Asks {
    fn need(self) -> ReadScope {
        ReadScope::for_row(match self {
            Self::Call(call) => RowKey::Call(call),
            Self::Request(request) => RowKey::Request(request),
            Self::Start(run) => RowKey::Run(run),
        })
    }
}

impl<S: Store> Engine<S> {
    /// Puts a validated graph in force that has no policies.
    pub fn load(&self, graph: Graph) -> Result<(), EngineError> {
        self.load_with(graph, None)
    }

    /// Puts a validated graph in force, with the policies that were read beside it.
    pub fn load_with(
        &self,
        graph: Graph,
        policies: Option<Arc<Policies>>,
    ) -> Result<(), EngineError> {
        self.load_from(graph, policies, None)
    }

    /// The same, keeping what it was read from, so that decisions under it can be made again.
    pub fn load_from(
        &self,
        graph: Graph,
        policies: Option<Arc<Policies>>,
        source: Option<GraphSource>,
    ) -> Result<(), EngineError> {
        let hash = graph.hash;
        let in_force = match InForce::new(graph, policies) {
            Ok(in_force) => in_force,
            Err(error) => {
                self.graph_refused(&error.to_string())?;
                return Err(error);
            }
        };
        self.transact_before(&ReadScope::globals(), |facts, _| {
            // It is in the ledger as long as nothing else was loaded since.
            if facts.state.graph == Some(hash) {
                return ((), Vec::new());
            }
            ((), vec![Change::GraphLoaded { hash, source: source.clone().map(Box::new) }])
        })?;
        self.put_in_force(in_force)
    }

    /// The operator has looked at the graph and its project grants: decay starts anew.
    pub fn review(&self) -> Result<(), EngineError> {
        let Some(held) = self.in_force()? else { return Ok(()) };
        let reviewed = held.graph.reviewed_on(self.moment()?.date());
        let (hash, in_force) = (reviewed.hash, InForce::new(reviewed, held.policies.clone())?);
        self.transact(&ReadScope::with_kind(ScopeKind::ProjectGrants), |_| {
            ((), vec![Change::GraphReviewed { hash }])
        })?;
        self.put_in_force(in_force)
    }

    fn put_in_force(&self, rules: InForce) -> Result<(), EngineError> {
        let mut held = self.in_force.write().map_err(|_| EngineError::Damaged)?;
        *held = Some(Arc::new(rules));
        Ok(())
    }

    /// Opens a session ahead of its first call.
    pub fn open(
        &self,
        session: &SessionName,
        agent: &Agent,
        project: Option<&Project>,
    ) -> Result<(), EngineError> {
        let need = ReadScope::for_session(session).with_opener(agent, project);
        self.transact(&need, |facts| {
            ((), countersign_core::steps::record::opening(facts, session, agent, project))
        })
    }

    /// How much is asked now, of all agents.
    pub fn count_asked(&self) -> Result<usize, EngineError> {
        Ok(self.store.open_requests(self.moment()?, None, usize::MAX)?.len())
    }

    /// What is asked now, of all agents, after one of them, so many at most, the oldest first; and
    /// what it is about.
    pub fn asked(
        &self,
        after: Option<RequestId>,
        most: usize,
    ) -> Result<(Vec<RequestId>, Arc<State>), EngineError> {
        let asked = self.store.open_requests(self.moment()?, after, most)?;
        let need = ReadScope::globals().with_rows(asked.iter().copied().map(RowKey::Request));
        Ok((asked, self.store.read(&need)?.state))
    }

    /// Who is paused, and whether somebody is present.
    pub fn everybody(&self) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::globals())?.state)
    }

    /// One request, open or not, with what it is about.
    pub fn request(&self, request: RequestId) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::for_row(RowKey::Request(request)))?.state)
    }

    /// All grants of projects, for whoever reviews them.
    pub fn project_grants(&self) -> Result<Arc<State>, EngineError> {
        Ok(self.store.read(&ReadScope::with_kind(ScopeKind::ProjectGrants))?.state)
    }

    pub fn answer(&self, asks: Asks, answer: &Answer) -> Result<Settlement, EngineError> {
        self.answer_on(None, asks, answer)
    }

    /// The same, and which surface it came from: every other one is told.
    pub fn answer_on(
        &self,
        surface: Option<&SurfaceName>,
        asks: Asks,
        answer: &Answer,
    ) -> Result<Settlement, EngineError> {
        self.transact(&asks.need(), |facts| {
            let requests: Vec<&Request> =
                facts.state.requests.values().filter(|r| is_about(r, asks)).collect();
            let mut settlement = settle(facts, &requests, answer);
            for change in &mut settlement.changes {
                if let Change::RequestAnswered { answered } = change {
                    answered.surface = surface.cloned();
                }
            }
            let changes = settlement.changes.clone();
            (settlement, changes)
        })
    }

    /// Grants directly, without a request. The reply says why a scope is not the one asked for.
    pub fn grant(
        &self,
        (session, agent): (&SessionName, &Agent),
        coverage: &Coverage,
        terms: (Scope, Option<Time>, Confirmation),
    ) -> Result<(Grant, Option<&'static str>), EngineError> {
        self.transact(&ReadScope::for_session(session), |facts| {
            let open = facts.state.sessions.get(session);
            let project = open.and_then(|open| open.project.as_ref());
            let holder = Holder { session, agent, project };
            let (grant, why) = give(facts, &holder, coverage.clone(), terms);
            let change = Change::GrantMinted { grant: Box::new(grant.clone()) };
            ((grant, why), vec![change])
        })
    }

    /// Revokes, and says which grants it reached. If it cannot be written that is an error, and
    /// nothing is decided here until it is.
    pub fn revoke(
        &self,
        session: &SessionName,
        what: &Revoke,
    ) -> Result<Vec<GrantId>, EngineError> {
        let done = self.is_open().and_then(|()| self.revoke_now(session, what));
        self.hold_until_written(Tightening::Revoke(session.clone(), what.clone()), done)
    }

    pub(crate) fn revoke_now(
        &self,
        session: &SessionName,
        what: &Revoke,
    ) -> Result<Vec<GrantId>, EngineError> {
        let named = match what {
            Revoke::Grants(ids) => ids.as_slice(),
            Revoke::Command { .. }
            | Revoke::Action(_)
            | Revoke::Category(_)
            | Revoke::Workflow(_)
            | Revoke::All => &[],
        };
        let need =
            ReadScope::for_session(session).with_rows(named.iter().copied().map(RowKey::Grant));
        self.transact_before(&need.with_project_sessions(), |facts, _| {
            let changes = revoke_grants(facts, session, what);
            let reached = changes.iter().filter_map(revoked).collect();
            (reached, changes)
        })
    }

    pub fn gesture(
        &self,
        session: &SessionName,
        declares: &[Action],
        shows: Option<CallId>,
    ) -> Result<GestureId, EngineError> {
        let need = ReadScope::for_session(session).with_rows(shows.map(RowKey::Call));
        self.transact(&need, |facts| {
            let gesture = new_gesture(facts, session, declares, shows);
            (gesture.id, vec![Change::GestureMade { gesture: Box::new(gesture) }])
        })
    }

    /// Records whether somebody is there, if that has changed.
    pub fn presence(&self, presence: Presence) -> Result<(), EngineError> {
        self.transact(&ReadScope::globals(), |facts| {
            let changed = facts.state.presence != presence;
            ((), changed.then_some(Change::PresenceChanged { presence }).into_iter().collect())
        })
    }

    /// A surface came within reach, or the last one went.
    pub fn set_surface(&self, surface: Surface) -> Result<(), EngineError> {
        let mut held = self.surface.lock().map_err(|_| EngineError::Damaged)?;
        *held = surface;
        Ok(())
    }

    pub fn pause(&self, agent: &Agent) -> Result<(), EngineError> {
        let done = self.pause_now(agent);
        self.hold_until_written(Tightening::Pause(agent.clone()), done)
    }

    pub(crate) fn pause_now(&self, agent: &Agent) -> Result<(), EngineError> {
        self.transact_before(&ReadScope::globals(), |_, _| {
            ((), vec![Change::AgentPaused { agent: agent.clone() }])
        })
    }

    pub fn resume(&self, agent: &Agent) -> Result<(), EngineError> {
        self.transact(&ReadScope::globals(), |_| {
            ((), vec![Change::AgentResumed { agent: agent.clone() }])
        })
    }

    /// Writes down what time has ended.
    pub fn sweep(&self) -> Result<(), EngineError> {
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        for session in self.store.sessions_due(self.moment()?)? {
            self.transact_before(&ReadScope::for_session(&session), |facts, _| ((), sweep(facts)))?;
        }
        Ok(())
    }
}

fn is_about(request: &Request, asks: Asks) -> bool {
    match asks {
        Asks::Call(call) => request.concerns(call),
        Asks::Request(id) => request.id == id,
        Asks::Start(run) => matches!(&request.subject, Subject::Start(start) if start.run == run),
    }
}

fn revoked(change: &Change) -> Option<GrantId> {
    let Change::GrantRevoked { grant } = change else { return None };
    Some(*grant)
}

fn new_gesture(
    facts: &Facts,
    session: &SessionName,
    declares: &[Action],
    shows: Option<CallId>,
) -> Gesture {
    let shown = shows.and_then(|call| facts.state.calls.get(&call));
    Gesture {
        id: GestureId::fresh(facts.fresh),
        session: session.clone(),
        declares: declares.to_vec(),
        shows: shown.map(|record| record.call.digest),
        ends_at: facts.now + limits::GESTURE,
        node: facts.node.clone(),
    }
}
