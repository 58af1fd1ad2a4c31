//! The data of automatic repeats: when a call is repeated, and which node holds the lease.
//!
//! `operations::repeat` says when a call is repeated.

use crate::model::names::NodeName;
use crate::model::time::Time;
use crate::model::words::words;
use serde::{Deserialize, Serialize};

/// The part of a call record that exists while the call waits to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRepeat {
    /// When it was first postponed.
    pub since: Time,
    /// The number of attempts leased so far.
    pub attempts: u8,
    pub due_at: Time,
    pub lease: Option<Lease>,
}

/// A node's exclusive right to make the next attempt, until `ends_at`. If the node dies, another
/// node can take over after that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub node: NodeName,
    /// Exclusive.
    pub ends_at: Time,
}

words! {
    /// Why a call is no longer repeated.
    RepeatEnding {
        /// It ended: done, or failed for a permanent cause.
        Settled = "settled",
        /// All attempts were made, or the call is too old.
        GaveUp = "gave_up",
        /// It may have happened, and its tool is not declared idempotent.
        UnknownEffect = "unknown_effect",
        /// It would not be allowed now without a person.
        NotAllowed = "not_allowed",
    }
}
