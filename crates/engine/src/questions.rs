//! How many questions are open: a fact for the steps that open one.
//!
//! See docs/decisions/0036-open-questions.md.

use crate::{Engine, EngineError, Store};
use countersign_core::model::change::Change;
use countersign_core::model::names::Agent;
use countersign_core::model::open_questions::OpenQuestions;

impl<S: Store> Engine<S> {
    /// Counts the open questions. Simultaneous callers can miss each other's, so the limits can be
    /// exceeded by their number, never by more.
    pub(crate) fn count_questions(&self, agent: &Agent) -> Result<OpenQuestions, EngineError> {
        let counted = self.read_question_count(agent)?;
        if counted.remaining_beside_session() > 0 {
            return Ok(counted);
        }
        // What has expired does not count, but the store knows only what is recorded. If the sweep
        // fails, the count stays too high, and the question is refused.
        let _stays_too_high = self.sweep();
        self.read_question_count(agent)
    }

    /// As if no question were open.
    pub(crate) fn no_questions(&self) -> OpenQuestions {
        OpenQuestions::none(self.question_limits)
    }

    fn read_question_count(&self, agent: &Agent) -> Result<OpenQuestions, EngineError> {
        let counted = self.store.count_questions(agent)?;
        let (of_agent, in_all) = (counted.of_agent, counted.in_all);
        Ok(OpenQuestions { of_agent, in_all, allowed: self.question_limits })
    }
}

/// The agent for which these changes open a question.
pub(crate) fn find_asking_agent(changes: &[Change]) -> Option<Agent> {
    changes.iter().find_map(|change| match change {
        Change::RequestOpened { request } if !request.is_imported() => Some(request.agent.clone()),
        _ => None,
    })
}
