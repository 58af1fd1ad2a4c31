//! How many questions wait for an operator, and how many may.
//!
//! An operator with more questions than a person can read stops reading them.

use crate::model::limits;
use serde::{Deserialize, Serialize};

/// How many questions may be open. Requests about imported grants do not count: the operator
/// causes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionLimits {
    pub per_agent: usize,
    pub in_all: usize,
}

impl Default for QuestionLimits {
    fn default() -> Self {
        Self { per_agent: limits::QUESTIONS_PER_AGENT, in_all: limits::QUESTIONS_IN_ALL }
    }
}

/// The open questions of the deciding agent and of all agents. A question that has expired counts
/// until a sweep closes it.
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

    /// How many more may be opened.
    pub fn remaining(&self) -> usize {
        let of_agent = self.allowed.per_agent.saturating_sub(self.of_agent);
        of_agent.min(self.allowed.in_all.saturating_sub(self.in_all))
    }

    /// Why so many more may not be opened, in words.
    pub fn refuse(&self, more: usize) -> Option<String> {
        let Self { of_agent, in_all, allowed } = self;
        if more == 0 || more <= self.remaining() {
            return None;
        }
        let needed =
            if more == 1 { String::new() } else { format!(", and this needs {more} more") };
        Some(if of_agent.saturating_add(more) > allowed.per_agent {
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
        OpenQuestions { of_agent, in_all, allowed: QuestionLimits { per_agent: 2, in_all: 5 } }
    }

    #[test]
    fn the_smaller_room_counts() {
        assert_eq!(
            [open(0, 0), open(1, 4), open(1, 5), open(2, 2)].map(|o| o.remaining()),
            [2, 1, 0, 0]
        );
        assert_eq!(open(9, 9).remaining(), 0);
    }

    #[test]
    fn a_refusal_says_which_limit_is_reached() {
        assert_eq!(open(1, 1).refuse(1), None);
        assert_eq!(open(2, 5).refuse(0), None);
        assert_eq!(open(2, 5).refuse(1).unwrap(), "this agent has 2 of at most 2");
        assert_eq!(
            open(1, 1).refuse(2).unwrap(),
            "this agent has 1 of at most 2, and this needs 2 more"
        );
        assert_eq!(open(1, 5).refuse(1).unwrap(), "all agents together have 5 of at most 5");
    }
}
