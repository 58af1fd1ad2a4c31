//! What the operator's turn meant, and who reported it.

use crate::model::words::words;

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
