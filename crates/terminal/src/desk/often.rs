//! Agents that ask very often: their questions are one card, whose first choice is to pause them.

use crate::limits;
use crate::question::Question;
use countersign_core::model::time::{Span, Time};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Now {
    Seldom,
    /// From this question on they are one card.
    Begins,
    GoesOn,
}

/// When each agent asked, and which of them are one card now.
#[derive(Default)]
pub(super) struct Often {
    agents: BTreeMap<String, Asking>,
}

#[derive(Default)]
struct Asking {
    /// Within the minute before the last question.
    at: Vec<Time>,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Single,
    OneCard,
    /// The operator wants to see them one by one, until the agent is calm again.
    Reviewed,
}

impl Often {
    pub(super) fn asks(&mut self, question: &Question) -> Now {
        let Some(now) = question.opened_at else { return Now::Seldom };
        let asking = self.agents.entry(question.agent.clone()).or_default();
        asking.at.push(now);
        asking.at.retain(|at| now < *at + Span::seconds(60));
        let often = asking.at.len() > limits::BURST;
        match (often, asking.state) {
            (true, State::Single) => {
                asking.state = State::OneCard;
                Now::Begins
            }
            (_, State::OneCard) => Now::GoesOn,
            (false, State::Reviewed) => {
                asking.state = State::Single;
                Now::Seldom
            }
            (false, State::Single) | (true, State::Reviewed) => Now::Seldom,
        }
    }

    /// The first agent whose questions are one card.
    pub(super) fn first(&mut self, questions: &[Question]) -> Option<String> {
        self.agents.retain(|agent, asking| {
            asking.state == State::Single || questions.iter().any(|q| q.agent == *agent)
        });
        let one = self.agents.iter().find(|(_, asking)| asking.state == State::OneCard);
        one.map(|(agent, _)| agent.clone())
    }

    /// How many questions of the last minute.
    pub(super) fn many(&self, agent: &str) -> usize {
        self.agents.get(agent).map_or(0, |asking| asking.at.len())
    }

    /// From now on one by one.
    pub(super) fn review(&mut self, agent: &str) {
        if let Some(asking) = self.agents.get_mut(agent) {
            asking.state = State::Reviewed;
        }
    }
}
