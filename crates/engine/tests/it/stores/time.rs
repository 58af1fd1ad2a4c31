//! A clock that is set back extends nothing, on any store and across restarts.

use super::contract::Backend;
use crate::world::{call, grant, graph, owner, session};
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Outcome, Surface};
use countersign_engine::{Clock, Engine, EngineError, Entropy, Memory, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A machine whose clock on the wall anybody may set, and whose uptime nobody may.
#[derive(Clone)]
struct Machine {
    wall: Arc<AtomicI64>,
    since: Arc<AtomicI64>,
    boot: String,
}

const SECOND: i64 = 1_000_000;

impl Machine {
    fn new() -> Self {
        let nine = Time::parse("2026-01-05T09:00:00Z").unwrap().micros();
        let since = Arc::new(AtomicI64::new(1_000 * SECOND));
        Self { wall: Arc::new(AtomicI64::new(nine)), since, boot: "first".to_owned() }
    }

    fn minutes_pass(&self, minutes: i64) {
        self.wall.fetch_add(minutes * 60 * SECOND, Ordering::SeqCst);
        self.since.fetch_add(minutes * 60 * SECOND, Ordering::SeqCst);
    }

    fn wall_is_set(&self, by_hours: i64) {
        self.wall.fetch_add(by_hours * 3600 * SECOND, Ordering::SeqCst);
    }

    fn reboots(&self) -> Self {
        self.since.store(10 * SECOND, Ordering::SeqCst);
        Self { boot: "second".to_owned(), ..self.clone() }
    }
}

impl Clock for Machine {
    fn now(&self) -> Time {
        Time::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn uptime(&self) -> Option<Span> {
        Some(Span::micros(self.since.load(Ordering::SeqCst)))
    }

    fn boot(&self) -> Option<&str> {
        Some(&self.boot)
    }
}

struct Counted;

impl Entropy for Counted {
    fn bits(&self) -> u64 {
        static BITS: AtomicU64 = AtomicU64::new(1);
        BITS.fetch_add(1, Ordering::SeqCst)
    }
}

fn closed<S: Store>(store: S, machine: &Machine) -> Engine<S> {
    let engine = Engine::new(store, Box::new(machine.clone()), Box::new(Counted));
    engine.set_surface(Surface::Reachable).unwrap();
    engine.load_graph(graph()).unwrap();
    engine
}

fn begin<S: Store>(store: S, machine: &Machine) -> Engine<S> {
    let engine = closed(store, machine);
    engine.open(|_| Ok(())).unwrap();
    engine
}

fn grant_for_a_quarter<S: Store>(engine: &Engine<S>) {
    engine.open_session(&owner(), None).unwrap();
    let ends = engine.current_time().unwrap() + Span::minutes(15);
    let terms = (Scope::Until, Some(ends), Confirmation::Plain);
    grant(engine, session(), Coverage::Everything, terms);
}

fn outcome<S: Store>(engine: &Engine<S>) -> Outcome {
    engine.check(&call("files.write")).unwrap().decision().outcome
}

/// 15 minutes are 15 minutes, though the wall goes back by an hour and the process begins again.
pub(super) fn a_clock_set_back_extends_no_grant(backend: &impl Backend) {
    let machine = Machine::new();
    {
        let engine = begin(backend.open(), &machine);
        grant_for_a_quarter(&engine);
        machine.minutes_pass(2);
        machine.wall_is_set(-1);
        assert_eq!(outcome(&engine), Outcome::Allow);
        machine.minutes_pass(3);
        assert_eq!(outcome(&engine), Outcome::Allow);
    }
    machine.minutes_pass(9);
    {
        let engine = begin(backend.open(), &machine);
        assert_eq!(outcome(&engine), Outcome::Allow);
        machine.minutes_pass(1);
        assert_eq!(outcome(&engine), Outcome::Ask);
    }
    // Nothing says how long a machine was off; but not even then does time go back.
    let machine = machine.reboots();
    assert_eq!(outcome(&begin(backend.open(), &machine)), Outcome::Ask);
}

#[test]
fn a_clock_set_back_extends_no_grant_across_a_restart_of_the_engine() {
    let machine = Machine::new();
    let engine = begin(Memory::empty(), &machine);
    grant_for_a_quarter(&engine);
    machine.wall_is_set(-1);
    machine.minutes_pass(14);
    assert_eq!(outcome(&engine), Outcome::Allow);
    engine.restart().unwrap();
    machine.minutes_pass(1);
    assert_eq!(outcome(&engine), Outcome::Ask);
}

/// After a restart of the machine, time goes on from what was committed last.
pub(super) fn time_goes_on_from_the_last_commit_after_a_reboot(backend: &impl Backend) {
    let machine = Machine::new();
    {
        let engine = begin(backend.open(), &machine);
        grant_for_a_quarter(&engine);
        machine.minutes_pass(10);
        assert_eq!(outcome(&engine), Outcome::Allow);
    }
    machine.wall_is_set(-1);
    let machine = machine.reboots();
    let engine = begin(backend.open(), &machine);
    machine.minutes_pass(4);
    assert_eq!(outcome(&engine), Outcome::Allow);
    machine.minutes_pass(1);
    assert_eq!(outcome(&engine), Outcome::Ask);
}

/// The safe side: what was set forward ends things early, and setting it back brings none back.
#[test]
fn a_clock_set_forward_ends_things_early_and_for_good() {
    let machine = Machine::new();
    let engine = begin(Memory::empty(), &machine);
    grant_for_a_quarter(&engine);
    machine.wall_is_set(1);
    assert_eq!(outcome(&engine), Outcome::Ask);
    machine.wall_is_set(-1);
    assert_eq!(outcome(&engine), Outcome::Ask);
}

#[test]
fn no_entry_is_written_for_an_earlier_instant() {
    let machine = Machine::new();
    let engine = begin(Memory::empty(), &machine);
    grant_for_a_quarter(&engine);
    machine.wall_is_set(-1);
    engine.check(&call("files.read")).unwrap();
    machine.wall_is_set(-5);
    engine.sweep().unwrap();
    engine.check(&call("files.read")).unwrap();
    let entries = engine.read_all_entries().unwrap();
    let instants: Vec<Time> = entries.iter().map(|entry| entry.change().unwrap().0).collect();
    assert!(instants.is_sorted(), "{instants:?}");
}

#[test]
fn nothing_is_decided_before_the_engine_is_open() {
    let engine = closed(Memory::empty(), &Machine::new());
    let refused = engine.check(&call("files.read")).unwrap_err();
    assert!(matches!(refused, EngineError::NotOpen), "{refused}");
    assert!(refused.to_string().contains("still starting"));
    engine.open(|_| Ok(())).unwrap();
    assert_eq!(engine.check(&call("files.read")).unwrap().decision().outcome, Outcome::Allow);
}
