//! Asking ahead of a call, in the field names of `request_permission`.

use crate::{Millis, ParkPolicy, Text, Timestamp};
use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Project, SessionName};
use countersign_core::model::words::Reason;
use countersign_core::word_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question before there is a call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskAheadRequest {
    pub session: SessionName,
    /// The project that the session works on: see `POST /v1/check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// What the agent wants to do, as it would explain it to a colleague.
    pub action: Text<4096>,
    /// Why.
    pub reasoning: Text<4096>,
    /// What the agent will do if the answer is no.
    #[serde(default)]
    pub fallback: Text<4096>,
    #[serde(default)]
    pub scope: AskedScope,
    /// The kind of calls that a yes covers. Without it, every call up to moderate risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    #[serde(default)]
    pub park: ParkPolicy,
    /// How long to wait for an answer before the reply is `pending`; five minutes at most.
    #[serde(default)]
    pub wait_ms: Millis,
}

word_enum! {
    /// How long an agent wants a permission to last.
    #[derive(Default, JsonSchema)]
    pub enum AskedScope {
        #[default]
        ThisCall = "this_call",
        ThisSession = "this_session",
        Persistent = "persistent",
    }
}

impl AskedScope {
    pub const fn scope(self) -> Scope {
        match self {
            Self::ThisCall => Scope::Once,
            Self::ThisSession => Scope::Session,
            Self::Persistent => Scope::Project,
        }
    }
}

word_enum! {
    /// How long a permission lasts that the operator gave.
    #[derive(JsonSchema)]
    pub enum GrantedScope {
        ThisCall = "this_call",
        /// For some minutes; `ends_at` says until when.
        Quarter = "15m",
        ThisRun = "this_run",
        ThisSession = "this_session",
        Persistent = "persistent",
    }
}

impl From<Scope> for GrantedScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Once => Self::ThisCall,
            Scope::Until => Self::Quarter,
            Scope::Run => Self::ThisRun,
            Scope::Session => Self::ThisSession,
            Scope::Project => Self::Persistent,
        }
    }
}

/// Where a question ahead of a call stands.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AskAheadResponse {
    pub status: AheadStatus,
    /// Whether there is a grant, in force now.
    pub granted: bool,
    /// How long the grant lasts. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_granted: Option<GrantedScope>,
    /// The operator's words. Can be empty.
    pub operator_note: String,
    /// The grant; the question where there is no grant, and `none` where nobody was asked. The trace
    /// (`inspect --trace`) has the same id.
    pub grant_id: String,
    /// When the grant ends, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<Timestamp>,
    pub scope_requested: AskedScope,
    pub reason: Reason,
    /// One sentence for the agent. It says why, if the scope is not the one that was asked for, or if
    /// a yes gives no grant.
    pub sentence: String,
    /// The request that the operator sees or has answered; null if nobody was asked.
    pub request_id: Option<RequestId>,
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum AheadStatus {
        /// The operator is asked.
        Pending = "pending",
        /// The operator said yes. `granted` says whether that gives a grant that is in force.
        Approved = "approved",
        Declined = "declined",
        /// The question was withdrawn, or a stop or the end of the session ended it.
        Cancelled = "cancelled",
        Expired = "expired",
        /// Nobody was asked.
        Denied = "denied",
    }
}

/// An own question was withdrawn.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WithdrawnResponse {
    pub request_id: RequestId,
    pub status: AheadStatus,
}
