//! What is sent and answered about an agent's own records.

use super::{LedgerPosition, Text, Timestamp};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::model::recorded::{Ground, Recorded};
use countersign_core::model::time::Time;
use countersign_engine::Records;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an agent says about its own doing. A claim: nothing is decided on it, and what looks like
/// a secret is left out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    pub session: SessionName,
    /// The call that it is about.
    #[serde(default)]
    pub operation_id: Option<CallId>,
    /// How the agent knows it.
    #[serde(default = "unknown")]
    pub ground: Ground,
    pub text: Text<4096>,
}

fn unknown() -> Ground {
    Ground::Unknown
}

/// Which records.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsQuery {
    pub session: SessionName,
    /// The place in the ledger to look from; without it, the latest.
    #[serde(default)]
    pub from: Option<LedgerPosition>,
}

/// An agent's own records, in the order in which they came.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecordsResponse {
    pub records: Vec<RecordView>,
    /// Where to look on; none where the ledger ends.
    pub next: Option<u64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecordView {
    /// Its place in the ledger.
    pub seq: u64,
    pub at: Timestamp,
    pub operation_id: Option<CallId>,
    pub ground: Ground,
    pub text: String,
}

impl From<Records> for RecordsResponse {
    fn from(records: Records) -> Self {
        let form = |(seq, at, recorded): (u64, Time, Recorded)| RecordView {
            seq,
            at: Timestamp(at),
            operation_id: recorded.call,
            ground: recorded.ground,
            text: recorded.text,
        };
        Self { records: records.found.into_iter().map(form).collect(), next: records.next }
    }
}
