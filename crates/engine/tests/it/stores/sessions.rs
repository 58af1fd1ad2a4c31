//! The end of a session on every store: what ends with it, and what an agent cannot shed by it.

use super::contract::Backend;
use crate::world::{Moved, call, counting_on, grant, graph, owner, session};
use countersign_conversation::Turn;
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::names::SessionKey;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom};
use countersign_core::model::time::{Span, Time};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Choice, Effect, Outcome, Reason, SessionEnder, Surface};
use countersign_engine::{AnswerTarget, CheckResult, Engine, Store, TurnReporter};
use countersign_ledger::{replay, verify};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// An engine, and the clock that it reads.
struct Trial<S: Store> {
    engine: Engine<S>,
    clock: Arc<AtomicI64>,
}

impl<S: Store> Trial<S> {
    fn begin(backend: &impl Backend<Store = S>) -> Self {
        let start = Time::parse("2030-01-05T09:00:00Z").unwrap();
        let clock = Arc::new(AtomicI64::new(start.micros()));
        let engine = counting_on(backend.open(), Box::new(Moved(Arc::clone(&clock))), 1);
        engine.set_surface(Surface::Reachable).unwrap();
        engine.load_graph(graph()).unwrap();
        Self { engine, clock }
    }

    fn wait(&self, span: Span) {
        let now = Time::from_micros(self.clock.load(Ordering::SeqCst)) + span;
        self.clock.store(now.micros(), Ordering::SeqCst);
    }

    fn check(&self, draft: &CallDraft) -> (Outcome, Reason) {
        let checked = self.engine.check(draft).unwrap();
        (checked.decision().outcome, checked.decision().reason)
    }

    fn end(&self, by: SessionEnder) {
        assert!(self.engine.end_session(&session(), by).unwrap());
    }

    fn say(&self, text: &str) {
        let turn = Turn {
            session: session(),
            speaker: Speaker::Operator,
            text: text.to_owned(),
            from: AnswerFrom::Conversation,
        };
        self.engine.process_turn(&turn, TurnReporter::Operator).unwrap().unwrap();
    }

    fn decline(&self, draft: &CallDraft) {
        let CheckResult::Pending { call, .. } = self.engine.check(draft).unwrap() else { panic!() };
        let answer = Answer {
            say: AnswerChoices::One(Choice::Decline),
            note: String::new(),
            proof: AnswerProof::KeyPress,
            lasts: None,
            covers: None,
            from: AnswerFrom::Embedder,
        };
        self.engine.answer(AnswerTarget::Call(call), &answer).unwrap();
    }

    fn check_record(&self) {
        let entries = self.engine.read_all_entries().unwrap();
        verify(&entries).unwrap();
        assert_eq!(replay(&entries).unwrap(), *self.engine.read_whole_state().unwrap());
    }
}

fn write_to(target: &str) -> CallDraft {
    let mut draft = call("files.write");
    draft.target = vec![target.to_owned()];
    draft
}

fn in_session(mut draft: CallDraft, key: &str) -> CallDraft {
    draft.session = SessionKey::parse(key).unwrap();
    draft.agent = draft.session.to_agent();
    draft
}

/// A name that was ended is a new session: its grants, its questions and its operations are over.
pub(super) fn what_belongs_to_a_session_ends_with_it(backend: &impl Backend) {
    let trial = Trial::begin(backend);
    let engine = &trial.engine;
    let CheckResult::Pending { call: waits, .. } = engine.check(&write_to("a")).unwrap() else {
        panic!("it asks")
    };
    let terms = (Scope::Session, None, Confirmation::Plain);
    let granted = grant(engine, session(), Coverage::Everything, terms);
    let CheckResult::Allowed { permit, .. } = engine.check(&write_to("b")).unwrap() else {
        panic!("it is granted")
    };
    let runs = permit.call();
    trial.end(SessionEnder::Operator);
    assert!(!engine.end_session(&session(), SessionEnder::Operator).unwrap(), "it has ended");

    let state = engine.read_whole_state().unwrap();
    assert!(!state.grants.get(granted.id).unwrap().is_held());
    assert!(state.requests.values().all(|request| !request.is_open(engine.display_time())));
    for call in [waits, runs] {
        let retried = engine.retry(call, &owner()).unwrap();
        assert_eq!(retried.decision().reason, Reason::Paused, "{call}");
    }
    // What had started can still report how it ended.
    engine.complete(&permit.complete(Effect::Done)).unwrap();

    assert_eq!(trial.check(&write_to("b")), (Outcome::Ask, Reason::NoGrant));
    let retried = engine.retry(runs, &owner()).unwrap();
    assert_eq!(retried.decision().reason, Reason::Paused, "it belongs to the first opening");
    assert_eq!(engine.read_whole_state().unwrap().sessions.get(&session()).unwrap().opening, 2);
    trial.check_record();
}

/// A stop, a decline and a recorded destination hold in whatever session the agent opens next.
pub(super) fn an_agent_sheds_nothing_by_ending_its_session(backend: &impl Backend) {
    let trial = Trial::begin(backend);
    let mut push = call("notifications.push");
    push.target = vec!["phone".to_owned()];
    push.args = json!({"event": "done"});
    assert_eq!(trial.check(&push).0, Outcome::Allow);
    trial.decline(&write_to("a"));
    trial.wait(Span::minutes(31));
    trial.say("DRY RUN: look around");
    trial.end(SessionEnder::Agent);

    let elsewhere = |draft| in_session(draft, "agent-1 s2");
    assert_eq!(trial.check(&elsewhere(write_to("b"))), (Outcome::Ask, Reason::DryRun));
    // Also in the one after that, of another name.
    let third = |draft| in_session(draft, "agent-1 s3");
    assert_eq!(trial.check(&third(write_to("b"))), (Outcome::Ask, Reason::DryRun));
    trial.wait(Span::minutes(1));
    trial.say("go on");
    let fourth = |draft| in_session(draft, "agent-1 s4");
    assert_eq!(trial.check(&fourth(write_to("a"))), (Outcome::Ask, Reason::PreviouslyDeclined));
    push.target = vec!["watch".to_owned()];
    assert_eq!(trial.check(&fourth(push)), (Outcome::Ask, Reason::FanOut));
    // Not for another agent.
    let other = in_session(write_to("a"), "agent-2 s2");
    assert_eq!(trial.check(&other), (Outcome::Ask, Reason::NoGrant));

    trial.wait(Span::hours(24));
    let later = in_session(write_to("a"), "agent-1 s5");
    assert_eq!(trial.check(&later), (Outcome::Ask, Reason::NoGrant));
    trial.check_record();
}

/// What the operator ends is over.
pub(super) fn a_session_that_the_operator_ends_leaves_nothing_behind(backend: &impl Backend) {
    let trial = Trial::begin(backend);
    trial.decline(&write_to("a"));
    trial.wait(Span::minutes(31));
    assert_eq!(trial.check(&write_to("a")), (Outcome::Ask, Reason::PreviouslyDeclined));
    trial.end(SessionEnder::Operator);
    assert_eq!(trial.check(&write_to("a")), (Outcome::Ask, Reason::NoGrant));
    trial.check_record();
}

/// The next call of a session that was silent for a day opens a new one, swept or not.
pub(super) fn a_day_without_a_call_ends_a_session(backend: &impl Backend) {
    let trial = Trial::begin(backend);
    for sweeps in [false, true] {
        let name = if sweeps { "agent-1 swept" } else { "agent-1 unswept" };
        let key = SessionKey::parse(name).unwrap();
        let read = in_session(call("files.read"), name);
        let opening =
            || trial.engine.read_whole_state().unwrap().sessions.get(&key).map(|row| row.opening);
        trial.check(&read);
        trial.wait(Span::hours(23));
        trial.check(&read);
        trial.wait(Span::hours(24));
        if sweeps {
            trial.engine.sweep().unwrap();
        }
        trial.check(&read);
        assert_eq!(opening(), Some(1), "the last call is 24 h old, to within a quarter of an hour");
        trial.wait(Span::hours(24));
        trial.wait(Span::minutes(15));
        if sweeps {
            trial.engine.sweep().unwrap();
            let state = trial.engine.read_whole_state().unwrap();
            assert!(state.sessions.get(&key).unwrap().ended_at.is_some());
        }
        assert_eq!(trial.check(&read).0, Outcome::Allow);
        assert_eq!(opening(), Some(2));
        trial.check_record();
    }
}
