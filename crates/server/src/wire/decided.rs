//! What is answered about calls and questions.

use countersign_core::decide::explain;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::words::{Effect, Outcome, Reason};
use countersign_core::state::CallState;
use countersign_engine::Checked;
use schemars::JsonSchema;
use serde::Serialize;

/// What was decided about a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckResponse {
    pub status: CheckStatus,
    pub outcome: Outcome,
    pub reason: Reason,
    /// One sentence for the agent.
    pub sentence: String,
    /// Where it is kept; none for what could not be read as a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<CallId>,
    /// The operator's words, where there are any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It may execute now.
    Allowed,
    /// Somebody is asked.
    Pending,
    Denied,
    /// It was executed before.
    AlreadyDone,
}

impl From<&Checked> for CheckResponse {
    fn from(checked: &Checked) -> Self {
        let decision = checked.decision();
        Self {
            status: match checked {
                Checked::Permit { .. } => CheckStatus::Allowed,
                Checked::Kept { .. } => CheckStatus::AlreadyDone,
                Checked::Pending { .. } => CheckStatus::Pending,
                Checked::Denied { .. } => CheckStatus::Denied,
            },
            outcome: decision.outcome,
            reason: decision.reason,
            sentence: explain::sentence(decision),
            operation_id: checked.call(),
            note: decision.note.clone(),
        }
    }
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct OperationResponse {
    pub operation_id: CallId,
    pub state: OperationState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    Denied,
    /// Somebody is asked.
    Pending,
    /// It can be redeemed.
    Approved,
    Executing,
    Done,
    Failed,
    /// Nothing happened, as an executor of ours attests.
    None,
    Forbidden,
    Unknown,
    Declined,
    Expired,
    Stopped,
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
        }
    }
}

impl std::fmt::Display for OperationState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// What was said about a call is in the record.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ReportResponse {
    pub operation_id: CallId,
    pub state: ReportState,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportState {
    Noted,
}

/// What became of a question ahead of a call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AskAheadResponse {
    pub outcome: Outcome,
    pub reason: Reason,
    pub sentence: String,
    /// The question, where one was asked.
    pub request_id: Option<RequestId>,
}

impl AskAheadResponse {
    pub fn of(decision: &Decision, request_id: Option<RequestId>) -> Self {
        let (outcome, reason) = (decision.outcome, decision.reason);
        Self { outcome, reason, sentence: explain::sentence(decision), request_id }
    }
}
