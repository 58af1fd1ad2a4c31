//! `consent_resolve`: waits for the operator's decision. An agent cannot make it.

use super::asking::{resolve_word, wait_for_question};
use super::checking::describe_call;
use super::{ToolAnswer, read_arguments, refuse, reply};
use crate::call::{ToolCalls, undecided};
use crate::client::ClientRequest;
use countersign_api::AheadStatus;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::state::CallState;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const SCHEMA: &str = r#"{"type":"object","properties":{"approvalId":{"type":"string","description":"The approvalId that consent_request returned"}},"required":["approvalId"]}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ResolveArguments {
    approval_id: String,
    status: Option<Value>,
    decision_summary: Option<Value>,
}

pub(super) async fn resolve_consent(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let wanted: ResolveArguments = read_arguments(request)?;
    if wanted.status.is_some() || wanted.decision_summary.is_some() {
        return Err(refuse("Only the operator decides. Leave `status` out, and wait."));
    }
    match (RequestId::parse(&wanted.approval_id), CallId::parse(&wanted.approval_id)) {
        (Some(id), _) => resolve_question(calls, request, id).await,
        (None, Some(call)) => resolve_call(calls, request, call).await,
        (None, None) => Err(refuse("No question of this session has that approvalId.")),
    }
}

async fn resolve_question(calls: &ToolCalls, request: &ClientRequest, id: RequestId) -> ToolAnswer {
    let question = wait_for_question(calls, request, id).await?;
    let summary = match (question.status, question.operator_note.as_str()) {
        (AheadStatus::Expired, _) => "expired",
        (_, "") => &question.sentence,
        (_, note) => note,
    };
    let status = resolve_word(question.status);
    reply(&json!({"approvalId": id, "status": status, "decisionSummary": summary}))
}

async fn resolve_call(calls: &ToolCalls, request: &ClientRequest, call: CallId) -> ToolAnswer {
    let waited = calls.wait_for_operator(request, call).await;
    waited.map_err(|error| undecided(&error))?;
    let state = calls.shared.host.read_operation(call, &calls.owner, Duration::ZERO).await?;
    let (_, sentence) = describe_call(state);
    let (status, summary) = match state {
        CallState::Parked => ("pending", sentence),
        CallState::Approved | CallState::Executing | CallState::Ended(_) => {
            ("granted", "the operator said yes; call the tool, or retry")
        }
        CallState::Declined | CallState::Denied => ("declined", sentence),
        CallState::Expired => ("cancelled", "expired"),
        CallState::Stopped | CallState::Cancelled => ("cancelled", sentence),
    };
    reply(&json!({"approvalId": call, "status": status, "decisionSummary": summary}))
}
