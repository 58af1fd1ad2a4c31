//! Asking ahead of a call, in the field names of `request_permission`.

use crate::{Millis, ParkPolicy, Text, Timestamp};
use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::{GrantId, RequestId};
use countersign_core::model::names::{Project, SessionName};
use countersign_core::model::words::Reason;
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

/// How long an agent wants a permission to last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskedScope {
    #[default]
    ThisCall,
    ThisSession,
    Persistent,
}

impl AskedScope {
    pub const ALL: [Self; 3] = [Self::ThisCall, Self::ThisSession, Self::Persistent];

    pub const fn word(self) -> &'static str {
        match self {
            Self::ThisCall => "this_call",
            Self::ThisSession => "this_session",
            Self::Persistent => "persistent",
        }
    }

    pub const fn scope(self) -> Scope {
        match self {
            Self::ThisCall => Scope::Once,
            Self::ThisSession => Scope::Session,
            Self::Persistent => Scope::Project,
        }
    }
}

/// How long a permission lasts that the operator gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantedScope {
    ThisCall,
    /// For some minutes; `ends_at` says until when.
    #[serde(rename = "15m")]
    Quarter,
    ThisRun,
    ThisSession,
    Persistent,
}

impl GrantedScope {
    pub const fn word(self) -> &'static str {
        match self {
            Self::ThisCall => "this_call",
            Self::Quarter => "15m",
            Self::ThisRun => "this_run",
            Self::ThisSession => "this_session",
            Self::Persistent => "persistent",
        }
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
    /// The grant; null if there is none.
    pub grant_id: Option<GrantId>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AheadStatus {
    /// The operator is asked.
    Pending,
    /// The operator said yes. `granted` says whether that gives a grant that is in force.
    Approved,
    Declined,
    /// The question was withdrawn, or a stop or the end of the session ended it.
    Cancelled,
    Expired,
    /// Nobody was asked.
    Denied,
}

impl AheadStatus {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Denied => "denied",
        }
    }
}

/// An own question was withdrawn.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WithdrawnResponse {
    pub request_id: RequestId,
    pub status: AheadStatus,
}
