//! What an agent puts into the ledger itself: what it did, or did not, in its own words.
//!
//! It is a claim. It is kept beside what was decided, and nothing is ever decided on it.

use crate::model::ids::CallId;
use crate::model::names::{Agent, SessionName};
use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How the agent knows what it says.
    Ground {
        Observed = "observed",
        Inferred = "inferred",
        /// The operator said so, as the agent tells it.
        UserDeclared = "user_declared",
        Unknown = "unknown",
        NotMeasured = "not_measured",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub session: SessionName,
    pub agent: Agent,
    /// The call that it is about, where there is one.
    pub call: Option<CallId>,
    pub ground: Ground,
    pub text: String,
}
