//! An open question, and the facts of one moment.

use countersign_core::decide::facts::Facts;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::{Holder, Scope};
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::{Agent, NodeName, SessionKey};
use countersign_core::model::open_questions::{OpenQuestions, QuestionLimits};
use countersign_core::model::request::{AskAhead, Request, RequestItem, Subject};
use countersign_core::model::rule_results::NO_RULE_RESULTS;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::{Assurance, Surface};
use countersign_core::state::State;
use countersign_core::steps::open_request::NewRequest;

pub const START: Time = Time::from_micros(0);

/// Facts without a graph.
pub fn facts<'a>(state: &'a State, ids: &'a IdGenerator) -> Facts<'a> {
    Facts {
        now: START,
        ids,
        graph: None,
        state,
        surface: Surface::Reachable,
        assurance: Assurance::Separated,
        questions: OpenQuestions::none(QuestionLimits::default()),
        protected: &[],
        ruled: &NO_RULE_RESULTS,
        key: None,
        node: NodeName::local(),
        place: None,
    }
}

/// A question that an agent asks ahead, with these items.
pub fn open_question(facts: &Facts, items: Vec<RequestItem>) -> Request {
    let (session, agent) =
        (SessionKey::parse("agent-1 s1").unwrap(), Agent::parse("agent-1").unwrap());
    let digest = Digest::hash_bytes("question", b"");
    let new = NewRequest {
        holder: Holder { session: &session, agent: &agent, project: None },
        subject: Subject::Ahead(AskAhead {
            text: "read the mail".to_owned(),
            category: None,
            scope: Scope::Session,
            reason: String::new(),
            fallback: String::new(),
        }),
        digest,
        lasting: digest,
        items,
        programs: Vec::new(),
        open_for: Span::minutes(5),
    };
    new.open(facts)
}
