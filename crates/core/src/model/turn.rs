//! What the operator's turn meant, and who reported it.

use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What a turn was understood as.
    TurnResult {
        Stop = "stop",
        Granted = "granted",
        Revoked = "revoked",
        Listed = "listed",
        PlanAccepted = "plan_accepted",
        Confirm = "confirm",
        DryRun = "dry_run",
        Reset = "reset",
        Answered = "answered",
        Nothing = "none",
    }
}

words! {
    /// Whose credential reported the turn.
    Speaker {
        Operator = "operator",
        /// A program that reports turns for a harness; the agent cannot reach it.
        Adapter = "adapter",
        Agent = "agent",
    }
}

/// What becomes of a stop that is in force when the operator speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopAfterTurn {
    #[default]
    Ends,
    /// A word that ends consent, asks something or asks for a dry run is no word to go on.
    Stays,
}

impl StopAfterTurn {
    pub(crate) fn is_ended(&self) -> bool {
        *self == Self::Ends
    }
}
