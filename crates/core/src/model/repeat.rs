//! Repeating calls that failed for a passing cause, without anybody asking again.
//!
//! Only what an executor of ours put off is repeated: where it attests that nothing happened, or
//! where the tool is declared idempotent. Each attempt is leased first, so that of several nodes one
//! makes it, and is decided again on consent that travels. What would not go ahead by itself ends.

use crate::model::names::NodeName;
use crate::model::time::Time;
use crate::model::words::words;
use serde::{Deserialize, Serialize};

/// What a record remembers of a call that is to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeating {
    /// When it was first put off.
    pub since: Time,
    /// Attempts that were leased so far.
    pub attempts: u8,
    pub due_at: Time,
    pub lease: Option<Lease>,
}

/// The right to make the next attempt. Who loses it by dying loses it at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub node: NodeName,
    /// Exclusive.
    pub ends_at: Time,
}

words! {
    /// Why a call is repeated no more.
    RepeatEnding {
        /// It ended otherwise: done, or failed for a cause that does not pass.
        Settled = "settled",
        /// All attempts were made, or it has become too old.
        GaveUp = "gave_up",
        /// It may have happened, and its tool is not declared idempotent.
        UnknownEffect = "unknown_effect",
        /// It would not go ahead by itself now.
        NotAllowed = "not_allowed",
    }
}
