//! Responses about calls and questions.

use crate::json::Json;
use crate::{QuestionView, RecordedState};
use countersign_core::model::ids::CallId;
use countersign_core::model::narrowed::NarrowedCall;
use countersign_core::model::words::{Effect, Outcome, Reason};
use countersign_core::state::CallState;
use countersign_core::word_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The decision about a call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckResponse {
    pub status: CheckStatus,
    pub outcome: Outcome,
    pub reason: Reason,
    /// One sentence for the agent.
    pub sentence: String,
    /// The id to wait, retry and report with. None for a body that is no valid call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<CallId>,
    /// The operator's words, if there are any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Lines to show in the conversation: which consent the call uses, or why it is asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announcements: Vec<String>,
    /// The form in which the call has to run, if that is less than what was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub narrowed: Option<Box<NarrowedCall>>,
    /// The arguments of the narrowed form, if an adapter asked and names the program's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Json>")]
    pub input: Option<Value>,
    /// The open question, if an adapter asked and names the program's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<QuestionView>>,
    /// For the calls inside this one, while it runs. Only an application gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_token: Option<String>,
}

word_enum! {
    #[derive(JsonSchema)]
    pub enum CheckStatus {
        /// The agent may execute the call now.
        Allowed = "allowed",
        /// The operator is asked.
        Pending = "pending",
        Denied = "denied",
        /// The call was executed before.
        AlreadyDone = "already_done",
    }
}

/// The state of a call.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationResponse {
    pub operation_id: CallId,
    pub state: OperationState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    Denied,
    /// The operator is asked.
    Pending,
    /// A retry executes it.
    Approved,
    Executing,
    Done,
    Failed,
    /// Nothing happened, as the operator's own executor attests.
    None,
    Forbidden,
    Unknown,
    Declined,
    Expired,
    Stopped,
    Cancelled,
}

impl From<CallState> for OperationState {
    fn from(state: CallState) -> Self {
        match state {
            CallState::Denied => Self::Denied,
            CallState::Parked => Self::Pending,
            CallState::Approved => Self::Approved,
            CallState::Executing => Self::Executing,
            CallState::Ended(Effect::Done) => Self::Done,
            CallState::Ended(Effect::Failed) => Self::Failed,
            CallState::Ended(Effect::Nothing) => Self::None,
            CallState::Ended(Effect::Forbidden) => Self::Forbidden,
            CallState::Ended(Effect::Unknown) => Self::Unknown,
            CallState::Declined => Self::Declined,
            CallState::Expired => Self::Expired,
            CallState::Stopped => Self::Stopped,
            CallState::Cancelled => Self::Cancelled,
        }
    }
}

impl std::fmt::Display for OperationState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// A report about a call is in the ledger.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportResponse {
    pub operation_id: CallId,
    pub state: RecordedState,
}
