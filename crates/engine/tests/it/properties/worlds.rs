//! A world in which a tale happens: the engine over memory, or over another store, with a clock that
//! is moved by hand.

use super::calls::Sketch;
use super::meeting::MeetingStore;
use super::tales::Tale;
use crate::world::{Moved, counting_on};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::{CallId, GestureId, IdGenerator, RunId};
use countersign_core::model::names::{Agent, Project, SessionKey};
use countersign_core::model::request::Request;
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Assurance, Effect, Initiator, Presence, Surface};
use countersign_core::state::State;
use countersign_core::steps::resolve::resolve_call;
use countersign_engine::{Engine, Memory, Permit, SessionOwner, Store};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

pub(super) struct World {
    pub engine: Engine<Arc<MeetingStore>>,
    pub store: Arc<MeetingStore>,
    pub clock: Arc<AtomicI64>,
    pub surface: Surface,
    calls: Vec<Sketch>,
    pub permits: Vec<Permit>,
    pub known: Vec<CallId>,
    pub runs: Vec<RunId>,
    pub gestures: Vec<(usize, GestureId)>,
    /// What was in force, from which ledger entry on.
    pub moments: Vec<Moment>,
    /// Executions as they began and ended, in order.
    pub effects: Vec<Effected>,
}

pub(super) struct Moment {
    pub since: usize,
    pub graph: Arc<Graph>,
    pub surface: Surface,
}

pub(super) enum Effected {
    Began { call: CallId, decision: Decision },
    Ended { call: CallId, effect: Effect },
}

pub(super) fn session(at: usize) -> SessionKey {
    SessionKey::parse(["a1 s1", "a1 s2", "a2 s1"][at % 3]).unwrap()
}

pub(super) fn agent(at: usize) -> Agent {
    Agent::parse(["a1", "a1", "a2"][at % 3]).unwrap()
}

pub(super) fn owner(at: usize) -> SessionOwner {
    SessionOwner::from_key(session(at))
}

pub(super) fn project(at: usize) -> Option<Project> {
    (at % 3 != 1).then(|| Project::parse("p").unwrap())
}

impl World {
    /// The world before anything happened.
    pub fn new(graph: &Graph, calls: &[Sketch]) -> Self {
        Self::on(Box::new(Memory::empty()), graph, calls)
    }

    /// The same on an empty store.
    pub fn on(store: Box<dyn Store>, graph: &Graph, calls: &[Sketch]) -> Self {
        let begin = Time::parse("2026-01-05T09:00:00Z").unwrap();
        let clock = Arc::new(AtomicI64::new(begin.micros()));
        let store = Arc::new(MeetingStore::on(store));
        let engine = counting_on(Arc::clone(&store), Box::new(Moved(Arc::clone(&clock))), 1);
        let mut world = Self {
            engine,
            store,
            clock,
            surface: Surface::Gone,
            calls: calls.to_vec(),
            permits: Vec::new(),
            known: Vec::new(),
            runs: Vec::new(),
            gestures: Vec::new(),
            moments: Vec::new(),
            effects: Vec::new(),
        };
        world.engine.load_graph(graph.clone()).unwrap();
        world.set_surface(Surface::Reachable);
        world.engine.set_presence(Presence::Idle).unwrap();
        for at in 0..3 {
            world
                .engine
                .open_session(&SessionOwner::from_key(session(at)), project(at).as_ref())
                .unwrap();
        }
        world
    }

    /// The same world, seen by another node's engine.
    pub fn companion(&self) -> Self {
        let clock = Arc::clone(&self.clock);
        let moved = Box::new(Moved(Arc::clone(&clock)));
        let engine = counting_on(Arc::clone(&self.store), moved, 1 << 32);
        engine.load_graph((*self.graph()).clone()).unwrap();
        engine.set_surface(self.surface).unwrap();
        let mut companion = Self {
            engine,
            store: Arc::clone(&self.store),
            clock,
            surface: self.surface,
            calls: self.calls.clone(),
            permits: Vec::new(),
            known: Vec::new(),
            runs: Vec::new(),
            gestures: Vec::new(),
            moments: Vec::new(),
            effects: Vec::new(),
        };
        companion.learn_from(self);
        companion
    }

    /// Takes over the calls, runs and gestures that the other knows.
    pub fn learn_from(&mut self, other: &Self) {
        self.known.clone_from(&other.known);
        self.runs.clone_from(&other.runs);
        self.gestures.clone_from(&other.gestures);
    }

    /// The world at the end of a tale.
    pub fn after(tale: &Tale) -> Self {
        Self::after_on(Box::new(Memory::empty()), tale)
    }

    /// The same on an empty store.
    pub fn after_on(store: Box<dyn Store>, tale: &Tale) -> Self {
        let mut world = Self::on(store, &tale.graph, &tale.calls);
        tale.deeds.iter().for_each(|deed| world.act(deed));
        world
    }

    pub fn state(&self) -> Arc<State> {
        self.engine.read_whole_state().unwrap()
    }

    pub fn graph(&self) -> Arc<Graph> {
        self.engine.graph().unwrap().unwrap()
    }

    /// What a decision could know now.
    pub fn knowing<T>(&self, state: &State, graph: &Graph, ask: impl Fn(&Facts) -> T) -> T {
        let now = self.engine.display_time();
        let ids = IdGenerator::new(now, u64::MAX);
        let (graph, surface) = (Some(graph), self.surface);
        ask(&Facts {
            now,
            ids: &ids,
            graph,
            state,
            surface,
            assurance: Assurance::Separated,
            questions: countersign_core::model::open_questions::OpenQuestions::none(
                countersign_core::model::open_questions::QuestionLimits::default(),
            ),
            protected: &[],
            ruled: &NO_RULE_RESULTS,
            key: None,
            node: countersign_core::model::names::NodeName::local(),
            place: None,
        })
    }

    /// Every recurring call, as it would be made now.
    pub fn probes(&self) -> Vec<Call> {
        (0..self.calls.len()).filter_map(|at| self.resolved(&self.draft(at))).collect()
    }

    pub fn resolved(&self, draft: &CallDraft) -> Option<Call> {
        let (state, graph) = (self.state(), self.graph());
        self.knowing(&state, &graph, |facts| resolve_call(facts, draft.clone()).ok())
    }

    /// What would be decided now, were this the state and that the graph.
    pub fn decided(&self, (state, graph): (&State, &Graph), call: &Call) -> Decision {
        self.knowing(state, graph, |facts| decide(facts, call))
    }

    pub fn draft(&self, at: usize) -> CallDraft {
        let sketch = &self.calls[at % self.calls.len()];
        let own = session(sketch.session);
        let mut draft = sketch.draft.clone();
        (draft.session, draft.agent) = (own.clone(), agent(sketch.session));
        let state = self.state();
        let run =
            self.runs.iter().rev().find(|id| {
                state.runs.get(id).is_some_and(|run| run.session == own && sketch.in_run)
            });
        draft.run = run.copied();
        draft.step = draft.step.filter(|_| draft.run.is_some());
        if let Some(command) = draft.args.get("line").and_then(|line| line.as_str()) {
            draft.command = Some(countersign_commands::analyse(command, None));
        }
        let in_session =
            |call: &CallId| state.calls.get(call).is_some_and(|r| r.call.session == own);
        let parents = self.permits.iter().rev().map(Permit::call).filter(in_session);
        draft.observed.parent = parents.take(1).find(|_| sketch.in_parent);
        let click = self.gestures.iter().rev().find(|(at, _)| *at == sketch.session);
        if let Some((_, gesture)) = click.filter(|_| sketch.clicked) {
            draft.observed.initiator = Initiator::Operator;
            draft.observed.gesture = Some(*gesture);
        }
        draft
    }

    pub fn open_requests(&self) -> Vec<Request> {
        let now = self.engine.display_time();
        self.state().requests.values().filter(|request| request.is_open(now)).cloned().collect()
    }

    pub(super) fn set_surface(&mut self, surface: Surface) {
        self.surface = surface;
        self.engine.set_surface(surface).unwrap();
        self.mark();
    }

    /// Notes what is in force from here on.
    pub fn mark(&mut self) {
        let since = self.engine.read_all_entries().unwrap().len();
        let (graph, surface) = (self.graph(), self.surface);
        self.moments.push(Moment { since, graph, surface });
    }
}
