//! Plans: what an agent says it will do, and what a yes to it carries.
//!
//! An accepted plan becomes one grant per step, each used up by one call. A plan is answered in
//! the conversation only, and soon: an old plan is no ground for anything.

use crate::model::names::Action;
use serde::{Deserialize, Serialize};

/// A plan that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDraft {
    pub actions: Vec<Action>,
    /// Command lines that the plan names; other command lines are no part of it.
    pub commands: Vec<Vec<String>>,
    /// How concrete the plan is, from 0 to 4, as our side counted.
    pub score: u8,
    pub turn: u32,
    pub state: PlanState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Proposed,
    /// A weak yes was heard; a clear one accepts.
    Confirming,
    /// The operator wants something else: only a new plan can be accepted.
    Amended,
}

/// What an answer makes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAnswer {
    Accepted,
    Confirm,
    /// Confirmation was asked for something that is no longer this plan.
    Amended,
    Ended,
    Stale,
}
