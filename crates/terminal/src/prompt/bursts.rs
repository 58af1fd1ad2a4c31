//! Detects agents that ask too often. Pausing the agent is then the first choice of its cards.
//!
//! See docs/decisions/0136-a-card-stays-with-its-prompt.md.

use super::Prompt;
use crate::limits;
use crate::question::PromptQuestion;
use countersign_core::model::time::Time;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Default)]
pub(super) struct BurstTracker {
    agents: BTreeMap<String, AgentActivity>,
}

#[derive(Default)]
struct AgentActivity {
    /// When the agent asked, within the window before its last question.
    asked_at: Vec<Time>,
    /// When its last question arrived here.
    arrived_at: Duration,
}

/// How often the agent of a question asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionPace {
    Single,
    Burst,
}

impl BurstTracker {
    pub(super) fn record_question(
        &mut self,
        question: &PromptQuestion,
        now: Duration,
    ) -> QuestionPace {
        self.agents.retain(|_, activity| now < activity.arrived_at + limits::BURST_END);
        let opened_at = question.view.card.opened_at;
        let activity = self.agents.entry(question.agent.clone()).or_default();
        activity.asked_at.push(opened_at);
        activity.asked_at.retain(|at| opened_at < *at + limits::BURST_WINDOW);
        activity.arrived_at = now;
        match activity.asked_at.len() > limits::MAX_SEPARATE_QUESTIONS {
            true => QuestionPace::Burst,
            false => QuestionPace::Single,
        }
    }

    /// How often an agent asked lately, if that is too often.
    fn count_burst(&self, agent: &str, now: Duration) -> Option<usize> {
        let activity = self.agents.get(agent)?;
        let is_recent = now < activity.arrived_at + limits::BURST_END;
        let asked = activity.asked_at.len();
        (is_recent && asked > limits::MAX_SEPARATE_QUESTIONS).then_some(asked)
    }

    /// When the first burst is over.
    pub(super) fn next_end(&self, now: Duration) -> Option<Duration> {
        let ends = self.agents.iter().filter(|(agent, _)| self.count_burst(agent, now).is_some());
        ends.map(|(_, activity)| activity.arrived_at + limits::BURST_END).min()
    }
}

impl Prompt {
    /// What to say above a card of an agent that asks too often, while more than this one wait.
    pub(super) fn describe_burst(&self, request: &str) -> Option<String> {
        let agent = &self.find_question(request)?.agent;
        let asked = self.bursts.count_burst(agent, self.now)?;
        let open = self.questions.iter().filter(|question| question.agent == *agent).count();
        (open > 1)
            .then(|| format!("{agent} asked {asked} times in a minute, {open} wait: P pauses it"))
    }

    /// The open calls of such an agent, beginning with the one that is shown.
    pub(super) fn list_burst_calls(&self, request: &str) -> Vec<String> {
        let Some(shown) = self.find_question(request) else { return Vec::new() };
        let same = self.questions.iter().filter(|question| question.agent == shown.agent);
        let others = same.clone().filter(|question| question.request != request);
        let mut lines: Vec<String> = others
            .take(limits::MAX_BURST_LINES)
            .map(|question| {
                let headline = question.view.card.headline.as_str();
                format!("  {}  {headline}", self.short_id(&question.request))
            })
            .collect();
        let more = same.count().saturating_sub(1 + lines.len());
        if more > 0 {
            lines.push(format!("  and {more} more; /ls lists them"));
        }
        lines
    }
}
