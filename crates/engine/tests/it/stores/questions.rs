//! Open questions on every store: bounded for each agent and in all, and counted without a scan.

use super::contract::Backend;
use crate::world::{call, on, yes};
use countersign_core::model::call::CallDraft;
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::words::{Outcome, Reason};
use countersign_engine::{AnswerTarget, Engine, Store};
use serde_json::json;

/// Every ten questions are of another session.
fn question(agent: &str, number: usize) -> CallDraft {
    let mut draft = call("files.write");
    draft.agent = Agent::parse(agent).unwrap();
    draft.session = SessionKey::parse(&format!("{agent} session-{}", number / 10)).unwrap();
    draft.args = json!({"number": number});
    draft
}

fn decide<S: Store>(engine: &Engine<S>, agent: &str, number: usize) -> (Outcome, Reason) {
    let checked = engine.check(&question(agent, number)).unwrap();
    (checked.decision().outcome, checked.decision().reason)
}

const ASKED: (Outcome, Reason) = (Outcome::Ask, Reason::NoGrant);
const REFUSED: (Outcome, Reason) = (Outcome::Deny, Reason::TooManyOpen);

/// Ten of one session, and its silence is not that of the agent's other sessions. Expired ones do not
/// count.
pub(super) fn questions_of_a_session_are_limited(backend: &impl Backend) {
    let engine = on(backend.open());
    let decide_in = |session: &str, number: usize| {
        let mut draft = question("agent-1", number);
        draft.session = SessionKey::parse(&format!("agent-1 {session}")).unwrap();
        let checked = engine.check(&draft).unwrap();
        (checked.decision().outcome, checked.decision().reason)
    };
    (0..10).for_each(|number| assert_eq!(decide_in("loud", number), ASKED));
    assert_eq!(decide_in("loud", 10), REFUSED);
    assert_eq!(decide_in("loud", 9), ASKED, "a question that is open already");
    assert_eq!(decide_in("other", 10), ASKED);
    let (open, _) = engine.list_open_requests(None, 1).unwrap();
    engine.answer(AnswerTarget::Request(open[0]), &yes()).unwrap();
    assert_eq!(decide_in("loud", 10), ASKED);
    assert_eq!(decide_in("loud", 11), REFUSED);
    assert!(engine.replay().unwrap().different.is_empty());
}

/// Sixty of one agent, two hundred of all; an answer makes room for one more.
pub(super) fn open_questions_are_limited(backend: &impl Backend) {
    let engine = on(backend.open());
    for agent in 0..3 {
        let name = format!("agent-{agent}");
        (0..60).for_each(|number| assert_eq!(decide(&engine, &name, number), ASKED));
        assert_eq!(decide(&engine, &name, 60), REFUSED);
    }
    (0..20).for_each(|number| assert_eq!(decide(&engine, "agent-3", number), ASKED));
    assert_eq!(decide(&engine, "agent-10", 0), REFUSED);
    let (open, _) = engine.list_open_requests(None, 1).unwrap();
    engine.answer(AnswerTarget::Request(open[0]), &yes()).unwrap();
    assert_eq!(decide(&engine, "agent-10", 0), ASKED);
    assert_eq!(decide(&engine, "agent-10", 1), REFUSED);
    assert_eq!(decide(&engine, "agent-10", 0), ASKED);
    assert!(engine.replay().unwrap().different.is_empty());
}

/// Simultaneous callers open at most one question each beyond the limit.
pub(super) fn simultaneous_callers_exceed_the_limit_by_their_number_at_most(
    backend: &impl Backend,
) {
    const CALLERS: usize = 4;
    for engine in backend.open_engines() {
        (0..40).for_each(|number| assert_eq!(decide(&engine, "agent-1", number), ASKED));
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let engine = &engine;
                scope.spawn(move || {
                    for number in 0..10 {
                        let mut draft = question("agent-1", caller * 100 + number);
                        draft.session = SessionKey::parse(&format!("agent-1 s{caller}")).unwrap();
                        engine.check(&draft).unwrap();
                    }
                });
            }
        });
        let open = engine.count_open_requests().unwrap();
        assert!((60..60 + CALLERS).contains(&open), "{open}");
        assert_eq!(decide(&engine, "agent-1", 1000), REFUSED);
    }
}
