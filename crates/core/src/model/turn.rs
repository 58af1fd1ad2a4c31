//! What a turn of the conversation came to, and who reported it.

use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// What became of a turn.
    Heard {
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
    /// Whose credential a turn was reported with.
    Speaker {
        Operator = "operator",
        /// What reports turns for a harness, out of the agent's reach.
        Adapter = "adapter",
        Agent = "agent",
    }
}
