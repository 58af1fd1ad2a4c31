//! What agents write into the ledger themselves.

use crate::{LedgerPosition, Text, Timestamp};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::model::recorded::StatedReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an agent says about its own work. A claim: no decision uses it, and the server removes what
/// looks like a secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    pub session: SessionName,
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<CallId>,
    /// How the agent knows it.
    #[serde(default = "unknown_ground")]
    pub ground: StatedReason,
    pub text: Text<4096>,
}

fn unknown_ground() -> StatedReason {
    StatedReason::Unknown
}

/// Which records to list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsQuery {
    pub session: SessionName,
    /// The position in the ledger to search from. Without it, the latest records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LedgerPosition>,
    /// List the last records before this position instead. Not together with `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<LedgerPosition>,
}

/// An agent's own records, in the order of the ledger.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordsResponse {
    pub records: Vec<RecordView>,
    /// The position to continue from. None at the end of the ledger.
    pub next: Option<u64>,
    /// Without `from`: the position to list earlier records `before`. None at the start of the ledger.
    pub previous: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordView {
    /// Its position in the ledger.
    pub seq: u64,
    pub at: Timestamp,
    pub operation_id: Option<CallId>,
    pub ground: StatedReason,
    pub text: String,
}

/// It is in the ledger.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedResponse {
    pub state: RecordedState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordedState {
    Recorded,
}

impl RecordedResponse {
    pub const RECORDED: Self = Self { state: RecordedState::Recorded };
}
