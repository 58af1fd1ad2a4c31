//! An agent's own ledger entry: what it did or did not do, in its own words.
//!
//! It is only a claim. No decision ever reads it.

use crate::model::ids::CallId;
use crate::model::names::{Agent, SessionKey};
use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How the agent knows what it claims.
    StatedReason {
        Observed = "observed",
        Inferred = "inferred",
        /// The operator said so, according to the agent.
        #[serde(alias = "user-declared")]
        UserDeclared = "user_declared",
        Unknown = "unknown",
        #[serde(alias = "not-measured")]
        NotMeasured = "not_measured",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub session: SessionKey,
    pub agent: Agent,
    /// The call that it is about, if any.
    pub call: Option<CallId>,
    pub ground: StatedReason,
    pub text: String,
}
