//! Detects agents that ask too often. Their questions become one card, whose first choice is to
//! pause the agent.

use crate::limits;
use crate::question::PromptQuestion;
use countersign_core::model::time::Time;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BurstPhase {
    None,
    /// From this question on, the agent's questions are one card.
    Starts,
    Continues,
}

#[derive(Default)]
pub(super) struct BurstTracker {
    agents: BTreeMap<String, AgentActivity>,
}

#[derive(Default)]
struct AgentActivity {
    /// When the agent asked, within the window before its last question.
    asked_at: Vec<Time>,
    display: BurstDisplay,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum BurstDisplay {
    #[default]
    Separate,
    OneCard,
    /// Shown one by one at the operator's request, until the agent asks less often.
    Review,
}

impl BurstTracker {
    pub(super) fn record_question(&mut self, question: &PromptQuestion) -> BurstPhase {
        let now = question.view.card.opened_at;
        let activity = self.agents.entry(question.agent.clone()).or_default();
        activity.asked_at.push(now);
        activity.asked_at.retain(|at| now < *at + limits::BURST_WINDOW);
        let is_burst = activity.asked_at.len() > limits::MAX_SEPARATE_QUESTIONS;
        match (is_burst, activity.display) {
            (true, BurstDisplay::Separate) => {
                activity.display = BurstDisplay::OneCard;
                BurstPhase::Starts
            }
            (_, BurstDisplay::OneCard) => BurstPhase::Continues,
            (false, BurstDisplay::Review) => {
                activity.display = BurstDisplay::Separate;
                BurstPhase::None
            }
            (false, BurstDisplay::Separate) | (true, BurstDisplay::Review) => BurstPhase::None,
        }
    }

    /// The first agent whose questions are one card.
    pub(super) fn first_agent(&mut self, questions: &[PromptQuestion]) -> Option<String> {
        self.agents.retain(|agent, activity| {
            activity.display == BurstDisplay::Separate
                || questions.iter().any(|question| question.agent == *agent)
        });
        let mut agents = self.agents.iter();
        let first = agents.find(|(_, activity)| activity.display == BurstDisplay::OneCard);
        first.map(|(agent, _)| agent.clone())
    }

    pub(super) fn count_recent(&self, agent: &str) -> usize {
        self.agents.get(agent).map_or(0, |activity| activity.asked_at.len())
    }

    pub(super) fn start_review(&mut self, agent: &str) {
        if let Some(activity) = self.agents.get_mut(agent) {
            activity.display = BurstDisplay::Review;
        }
    }
}
