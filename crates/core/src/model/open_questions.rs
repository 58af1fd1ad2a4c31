//! How many questions wait for an operator, and how many may.
//!
//! An operator with more questions than a person can read stops reading them.

use crate::model::limits;
use serde::{Deserialize, Serialize};

/// How many questions may be open. Requests about imported grants do not count: the operator
/// causes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionLimits {
    /// Records of the time before this limit do not have it.
    #[serde(default = "unlimited")]
    pub per_session: usize,
    pub per_agent: usize,
    pub in_all: usize,
}

impl Default for QuestionLimits {
    fn default() -> Self {
        Self {
            per_session: limits::QUESTIONS_PER_SESSION,
            per_agent: limits::QUESTIONS_PER_AGENT,
            in_all: limits::QUESTIONS_IN_ALL,
        }
    }
}

const fn unlimited() -> usize {
    usize::MAX
}

/// The open questions of the deciding agent and of all agents. A question that has expired counts
/// until a sweep closes it. Those of the session are in the state that a decision reads, so nobody
/// counts them in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestions {
    pub of_agent: usize,
    pub in_all: usize,
    pub allowed: QuestionLimits,
}

impl OpenQuestions {
    pub const fn none(allowed: QuestionLimits) -> Self {
        Self { of_agent: 0, in_all: 0, allowed }
    }

    /// How many more may be opened in a session with so many.
    pub fn remaining(&self, of_session: usize) -> usize {
        let of_session = self.allowed.per_session.saturating_sub(of_session);
        of_session.min(self.remaining_beside_session())
    }

    /// How many more the agent may open in a session that has none.
    pub fn remaining_beside_session(&self) -> usize {
        let of_agent = self.allowed.per_agent.saturating_sub(self.of_agent);
        of_agent.min(self.allowed.in_all.saturating_sub(self.in_all))
    }

    /// Why so many more may not be opened in a session with so many, in words.
    pub fn refuse(&self, of_session: usize, more: usize) -> Option<String> {
        let Self { of_agent, in_all, allowed } = self;
        if more == 0 || more <= self.remaining(of_session) {
            return None;
        }
        let needed =
            if more == 1 { String::new() } else { format!(", and this needs {more} more") };
        Some(if of_session.saturating_add(more) > allowed.per_session {
            format!("this session has {of_session} of at most {}{needed}", allowed.per_session)
        } else if of_agent.saturating_add(more) > allowed.per_agent {
            format!("this agent has {of_agent} of at most {}{needed}", allowed.per_agent)
        } else {
            format!("all agents together have {in_all} of at most {}{needed}", allowed.in_all)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(of_agent: usize, in_all: usize) -> OpenQuestions {
        let allowed = QuestionLimits { per_session: 2, per_agent: 3, in_all: 5 };
        OpenQuestions { of_agent, in_all, allowed }
    }

    #[test]
    fn the_smaller_room_counts() {
        assert_eq!(
            [open(0, 0), open(1, 4), open(1, 5), open(3, 3)].map(|o| o.remaining(0)),
            [2, 1, 0, 0]
        );
        assert_eq!([0, 1, 2, 9].map(|of_session| open(0, 0).remaining(of_session)), [2, 1, 0, 0]);
        assert_eq!(open(9, 9).remaining(0), 0);
    }

    #[test]
    fn a_refusal_says_which_limit_is_reached() {
        assert_eq!(open(1, 1).refuse(0, 1), None);
        assert_eq!(open(3, 5).refuse(2, 0), None);
        assert_eq!(open(3, 5).refuse(2, 1).unwrap(), "this session has 2 of at most 2");
        assert_eq!(open(3, 5).refuse(0, 1).unwrap(), "this agent has 3 of at most 3");
        assert_eq!(
            open(2, 2).refuse(0, 2).unwrap(),
            "this agent has 2 of at most 3, and this needs 2 more"
        );
        assert_eq!(open(1, 5).refuse(1, 1).unwrap(), "all agents together have 5 of at most 5");
    }
}
