//! A grant of an earlier system, as the operator is asked about it.

use crate::model::grant::{Coverage, Scope};
use crate::model::ids::RequestId;
use crate::model::time::Time;
use crate::model::words::{Ending, words};
use serde::{Deserialize, Serialize};

words! {
    /// The systems whose grants can be brought in, by the number of their seed.
    Origin {
        ConsentSystem = "000",
        PermissionBridge = "002",
    }
}

/// A grant as it was given elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub origin: Origin,
    /// What it goes by there.
    pub key: String,
    /// What it was given for, in the words that were shown there.
    pub words: String,
    pub coverage: Coverage,
    /// How long it holds once it is confirmed.
    pub scope: Scope,
    pub given_at: Time,
    /// Where it had an end, the grant here ends no later.
    pub ends_at: Option<Time>,
}

/// What became of one grant that was to be brought in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// A new question.
    Opened(RequestId),
    /// It was brought in before, and still waits.
    Waiting(RequestId),
    /// It was brought in before, and answered.
    Settled(Ending),
    /// The session it is for belongs to another agent.
    Foreign,
}
