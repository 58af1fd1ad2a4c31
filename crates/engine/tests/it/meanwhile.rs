//! What was decided on facts that have moved since is not committed.

use crate::world::{call, engine, grant, graph, owner, session};
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::Action;
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::words::{Assurance, Effect, Reason, Surface};
use countersign_core::state::Conflict;
use countersign_core::steps::record::record;
use countersign_core::steps::resolve::resolve_call;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{CheckResult, Engine, Memory, Permit};

/// What a check of this call would commit, seen from the state as it is now.
fn wanted(engine: &Engine<Memory>, draft: &CallDraft, expected: Reason) -> Vec<Change> {
    let (state, graph, now) = (engine.read_whole_state().unwrap(), graph(), engine.display_time());
    let facts = Facts {
        now,
        ids: &IdGenerator::new(now, u64::MAX),
        graph: Some(&graph),
        state: &state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: countersign_core::model::open_questions::OpenQuestions::none(
            countersign_core::model::open_questions::QuestionLimits::default(),
        ),
        protected: &[],
        ruled: &NO_RULE_RESULTS,
        key: None,
        node: countersign_core::model::names::NodeName::local(),
        place: None,
    };
    let call = resolve_call(&facts, draft.clone()).unwrap();
    let decision = decide(&facts, &call);
    assert_eq!(decision.reason, expected);
    record(&facts, &call.into(), &decision)
}

/// A call that runs on the operator's consent, and one that rides on it.
fn outer_and_inner(engine: &Engine<Memory>) -> (Permit, CallDraft) {
    engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(engine, session(), Coverage::Everything, terms);
    let mut outer = call("files.write");
    outer.declares = vec![Action::parse("files.write").unwrap()];
    let CheckResult::Allowed { permit, .. } = engine.check(&outer).unwrap() else {
        panic!("the outer call has to run")
    };
    let mut inner = call("files.write");
    inner.observed.parent = Some(permit.call());
    (permit, inner)
}

#[test]
fn nothing_is_nested_in_a_call_that_ended_meanwhile() {
    let engine = engine();
    let (outer, inner) = outer_and_inner(&engine);
    let (changes, ended) = (wanted(&engine, &inner, Reason::Nested), outer.call());
    assert_eq!(engine.read_whole_state().unwrap().conflict(&changes), None);
    engine.complete(&outer.complete(Effect::Done)).unwrap();
    assert_eq!(engine.read_whole_state().unwrap().conflict(&changes), Some(Conflict::Call(ended)));
}

#[test]
fn nothing_is_nested_in_a_call_whose_consent_was_taken_back_meanwhile() {
    let engine = engine();
    let (outer, inner) = outer_and_inner(&engine);
    let changes = wanted(&engine, &inner, Reason::Nested);
    engine.revoke(&session(), &Revoke::All).unwrap();
    assert_eq!(
        engine.read_whole_state().unwrap().conflict(&changes),
        Some(Conflict::Call(outer.call()))
    );
}
