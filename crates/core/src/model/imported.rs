//! A grant of an earlier system. The operator has to confirm it.

use crate::model::grant::{Coverage, Scope};
use crate::model::ids::RequestId;
use crate::model::time::Time;
use crate::model::words::{Ending, words};
use serde::{Deserialize, Serialize};

words! {
    /// The systems whose grants can be imported, by the words of `countersign import`.
    EarlierSystem {
        ConsentSystem = "consent-system",
        PermissionBridge = "permission-bridge",
    }
}

/// A grant as the earlier system stored it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedGrant {
    pub origin: EarlierSystem,
    /// Its name or id in the earlier system.
    pub key: String,
    /// The text that the earlier system showed for it.
    pub words: String,
    pub coverage: Coverage,
    /// Its scope once it is confirmed.
    pub scope: Scope,
    pub given_at: Time,
    /// Its end in the earlier system; the new grant ends no later.
    pub ends_at: Option<Time>,
}

/// The result of importing one grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportOutcome {
    /// A new request was opened.
    Opened(RequestId),
    /// It was imported before, and its request is still open.
    Waiting(RequestId),
    /// It was imported before, and answered.
    Settled(Ending),
    /// Its session belongs to another agent.
    Foreign,
}
