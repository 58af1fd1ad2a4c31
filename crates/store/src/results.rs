//! Results of calls that were carried out, for an agent that asks again later.
//!
//! A result is no state: nothing is decided on it, and the ledger does not mention it. So it is
//! written outside of commits, and it ends.

use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptResult {
    pub call: CallId,
    pub text: String,
    /// From here on nobody finds it.
    pub until: Time,
}
