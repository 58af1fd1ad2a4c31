//! An instant counts when it has come, though no sweep has written that down.

use crate::world::{Moved, call, empty, graph, owner};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::ids::CallId;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Choice, Outcome, Reason, Surface};
use countersign_core::steps::settle::AnswerReply;
use countersign_engine::{AnswerTarget, Engine, Memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

struct World {
    engine: Engine<Memory>,
    clock: Arc<AtomicI64>,
}

impl World {
    fn new() -> Self {
        let begin = Time::parse("2026-01-05T09:00:00Z").unwrap();
        let clock = Arc::new(AtomicI64::new(begin.micros()));
        let engine = empty(Box::new(Moved(Arc::clone(&clock))));
        engine.set_surface(Surface::Reachable).unwrap();
        engine.load_graph(graph()).unwrap();
        Self { engine, clock }
    }

    fn wait(&self, span: Span) {
        let later = self.engine.display_time() + span;
        self.clock.store(later.micros(), Ordering::SeqCst);
    }

    fn retried(&self, call: CallId) -> (Outcome, Reason) {
        let checked = self.engine.retry(call, &owner()).unwrap();
        (checked.decision().outcome, checked.decision().reason)
    }
}

#[test]
fn a_parked_call_has_expired_at_the_end_of_its_card() {
    let world = World::new();
    let parked = world.engine.check(&call("files.write")).unwrap().call().unwrap();
    world.wait(Span::minutes(119));
    assert_eq!(world.retried(parked), (Outcome::Ask, Reason::NoGrant));
    world.wait(Span::minutes(1));
    assert_eq!(world.retried(parked), (Outcome::Deny, Reason::Expired));
}

#[test]
fn an_answer_at_the_end_of_its_card_is_late() {
    let world = World::new();
    let parked = world.engine.check(&call("files.write")).unwrap().call().unwrap();
    world.wait(Span::hours(2));
    let say = AnswerChoices::One(Choice::Once);
    let (note, proof, from) = (String::new(), AnswerProof::KeyPress, AnswerFrom::Embedder);
    let answer = Answer { say, note, proof, lasts: None, covers: None, from };
    let settlement = world.engine.answer(AnswerTarget::Call(parked), &answer).unwrap();
    assert_eq!(settlement.reply, AnswerReply::Late);
    assert_eq!(world.retried(parked), (Outcome::Deny, Reason::Expired));
}
