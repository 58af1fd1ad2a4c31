//! Plans: the actions that an agent says it will perform.
//!
//! An accepted plan becomes one grant per step, and each is used up by one call. A plan is answered
//! only in the conversation, and only for a few turns.

use crate::model::names::Action;
use serde::{Deserialize, Serialize};

/// A plan that was proposed and not yet accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDraft {
    pub actions: Vec<Action>,
    /// The command lines that the plan names. It covers no others.
    pub commands: Vec<Vec<String>>,
    /// How concrete the plan is, from 0 to 4. Our side computes it.
    pub score: u8,
    pub turn: u32,
    pub state: PlanState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Proposed,
    /// After a weak yes; a clear yes accepts it.
    Confirming,
    /// The same after a weak yes on the plan's last turn: the next turn can still accept it.
    ConfirmingLast,
    /// The operator wants changes; only a new plan can be accepted.
    Amended,
}

/// The result of an answer to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    Accepted,
    Confirm,
    /// The same on the plan's last turn.
    ConfirmLast,
    /// The operator's answer asks for changes.
    Amended,
    Ended,
    Stale,
}
