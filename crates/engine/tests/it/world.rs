//! One engine over memory, and a call to make in it.

use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Scope};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Agent, NodeName, SessionKey};
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Choice, Surface};
use countersign_engine::{
    Clock, DirectGrant, DirectGrantResult, Engine, Entropy, Memory, SessionOwner, Store,
    UselessGrantPolicy,
};
use countersign_graph::Format;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

pub(crate) struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Time {
        Time::parse("2026-01-05T09:00:00Z").unwrap()
    }
}

/// A clock that is moved by hand.
pub(crate) struct Moved(pub Arc<AtomicI64>);

impl Clock for Moved {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::SeqCst))
    }
}

struct Counting(AtomicU64);

impl Entropy for Counting {
    fn bits(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

pub(crate) const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: [wipe]}
  notifications: {autonomous: [push], requires_approval: [], blocked: []}
tools:
  sh: {actions: [files.write], command: /line}
workflows:
  implement-feature-X: {actions: []}
";

pub(crate) fn graph() -> Graph {
    countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

/// An engine on a store, with a graph, somebody within reach and the machine's own clock.
pub(crate) fn on<S: Store>(store: S) -> Engine<S> {
    on_node(store, NodeName::local().clone())
}

/// The same, as one of several nodes.
pub(crate) fn on_node<S: Store>(store: S, node: NodeName) -> Engine<S> {
    let engine = bare_on_node(store, node);
    engine.open(|_| Ok(())).unwrap();
    engine
}

/// The same, not yet open for business.
pub(crate) fn bare_on_node<S: Store>(store: S, node: NodeName) -> Engine<S> {
    let engine = Engine::new(store, Box::new(Real), Box::new(Drawn)).with_node(node);
    engine.set_surface(Surface::Reachable).unwrap();
    let read = countersign_graph::load_graph("graph.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap();
    engine.load_graph(read).unwrap();
    engine
}

struct Real;

impl Clock for Real {
    fn now(&self) -> Time {
        let now = std::time::SystemTime::now();
        let since = now.duration_since(std::time::UNIX_EPOCH).unwrap();
        Time::from_micros(since.as_micros().try_into().unwrap())
    }
}

/// Bits that differ from process to process.
struct Drawn;

impl Entropy for Drawn {
    fn bits(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    }
}

/// An engine that has only a clock.
pub(crate) fn empty(clock: Box<dyn Clock>) -> Engine<Memory> {
    counting_on(Memory::empty(), clock, 1)
}

/// The same on any store, with random bits that count from a number on.
pub(crate) fn counting_on<S: Store>(store: S, clock: Box<dyn Clock>, first: u64) -> Engine<S> {
    let engine = Engine::new(store, clock, Box::new(Counting(AtomicU64::new(first))));
    engine.open(|_| Ok(())).unwrap();
    engine
}

/// An engine without a graph, with a surface within reach.
pub(crate) fn bare() -> Engine<Memory> {
    let engine = empty(Box::new(Fixed));
    engine.set_surface(Surface::Reachable).unwrap();
    engine
}

pub(crate) fn engine() -> Engine<Memory> {
    let engine = bare();
    engine.load_graph(graph()).unwrap();
    engine
}

pub(crate) fn yes() -> Answer {
    let say = AnswerChoices::One(Choice::Once);
    Answer {
        say,
        note: String::new(),
        proof: AnswerProof::KeyPress,
        lasts: None,
        covers: None,
        from: AnswerFrom::Embedder,
    }
}

pub(crate) fn session() -> SessionKey {
    SessionKey::parse("agent-1 s1").unwrap()
}

pub(crate) fn agent() -> Agent {
    Agent::parse("agent-1").unwrap()
}

/// The session and agent of most calls.
pub(crate) fn owner() -> SessionOwner {
    SessionOwner::from_key(session())
}

/// Grants directly, whatever the graph says of it.
pub(crate) fn grant<S: Store>(
    engine: &Engine<S>,
    session: SessionKey,
    coverage: Coverage,
    (scope, ends_at, confirmation): (Scope, Option<Time>, Confirmation),
) -> Grant {
    let if_useless = UselessGrantPolicy::Mint;
    let wanted = DirectGrant { session, coverage, scope, ends_at, confirmation, if_useless };
    match engine.grant_directly(&wanted).unwrap() {
        DirectGrantResult::Granted { grant, .. } => *grant,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn call(action: &str) -> CallDraft {
    CallDraft::plain(agent(), session(), Action::parse(action).unwrap())
}
