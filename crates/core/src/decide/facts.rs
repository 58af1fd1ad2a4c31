//! Facts: everything that a decision may know, including the current time.
//!
//! The engine collects them in one read. A decision that needs more information needs another fact.

use crate::encoding::digest::Key;
use crate::model::graph::Graph;
use crate::model::ids::IdGenerator;
use crate::model::names::{NodeName, SessionKey};
use crate::model::open_questions::OpenQuestions;
use crate::model::request::Request;
use crate::model::rule_results::RuleResults;
use crate::model::time::Time;
use crate::model::words::{Assurance, Surface};
use crate::state::State;

#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub now: Time,
    pub ids: &'a IdGenerator,
    /// None if no graph could be loaded. Then nothing is allowed.
    pub graph: Option<&'a Graph>,
    pub state: &'a State,
    pub surface: Surface,
    /// How far agents are separated from Countersign. Answers count accordingly.
    pub assurance: Assurance,
    /// How many questions are open. A count, so that a decision does not read all of them.
    pub questions: OpenQuestions,
    /// The canonical paths of our own files, sockets and folders. No agent may touch them.
    pub protected: &'a [String],
    /// The results of policies and command rules for the call.
    pub ruled: &'a RuleResults,
    /// The key of digests, so that they reveal nothing outside of their store.
    pub key: Option<&'a Key>,
    /// The node that decides.
    pub node: &'a NodeName,
}

impl Facts<'_> {
    /// The open questions of a session; those about imported grants do not count.
    pub fn count_questions_of(&self, session: &SessionKey) -> usize {
        let counts = |request: &&Request| {
            request.session == *session && request.is_open(self.now) && !request.is_imported()
        };
        self.state.requests.values().filter(counts).count()
    }

    /// How many more questions may be opened in a session.
    pub fn remaining_questions(&self, session: &SessionKey) -> usize {
        self.questions.remaining(self.count_questions_of(session))
    }
}
