//! `consent_resolve`: waits for the operator's decision. An agent cannot make it.

use super::asking::describe_state;
use super::{read_arguments, refuse, reply};
use crate::call::decide::undecided;
use crate::relay::{Context, Relay, RpcResponse};
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::state::CallState;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const SCHEMA: &str = r#"{"type":"object","properties":{"approvalId":{"type":"string","description":"The approvalId that consent_request returned"}},"required":["approvalId"]}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ResolveArguments {
    approval_id: String,
    status: Option<Value>,
    decision_summary: Option<Value>,
}

impl Relay {
    pub(super) async fn resolve_consent(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let wanted: ResolveArguments = read_arguments(context)?;
        if wanted.status.is_some() || wanted.decision_summary.is_some() {
            return Err(refuse("Only the operator decides. Leave `status` out, and wait."));
        }
        match (RequestId::parse(&wanted.approval_id), CallId::parse(&wanted.approval_id)) {
            (Some(id), _) => self.resolve_question(context, id).await,
            (None, Some(call)) => self.resolve_call(context, call).await,
            (None, None) => Err(refuse("No question of this session has that approvalId.")),
        }
    }

    async fn resolve_question(
        self: &Arc<Self>,
        context: &Context,
        id: RequestId,
    ) -> Result<RpcResponse, RpcResponse> {
        self.wait_for_question(context, id).await?;
        let question = self.read_question(id).await?;
        let (status, sentence) = describe_state(&question);
        let summary = match (status, question.request.note.as_str()) {
            ("expired", _) => "expired",
            (_, "") => sentence,
            (_, note) => note,
        };
        reply(
            &json!({"approvalId": id, "status": resolve_word(status), "decisionSummary": summary}),
        )
    }

    async fn resolve_call(
        self: &Arc<Self>,
        context: &Context,
        call: CallId,
    ) -> Result<RpcResponse, RpcResponse> {
        let waited = self.wait_for_operator(context, call).await;
        waited.map_err(|error| undecided(&error))?;
        let owner = self.owner.clone();
        let state = self.gateway.host.run(move |engine| engine.call_state(call, &owner)).await;
        let state = state.map_err(|error| undecided(&error))?;
        let state = state.ok_or_else(|| refuse("No call of this session has that approvalId."))?;
        let (status, summary) = match state {
            CallState::Parked => ("pending", "the operator has not answered yet"),
            CallState::Approved | CallState::Executing | CallState::Ended(_) => {
                ("granted", "the operator said yes; call the tool, or retry")
            }
            CallState::Declined | CallState::Denied => ("declined", "the operator said no"),
            CallState::Expired => ("cancelled", "expired"),
            CallState::Stopped | CallState::Cancelled => ("cancelled", "it was withdrawn"),
        };
        reply(&json!({"approvalId": call, "status": status, "decisionSummary": summary}))
    }
}

/// The three words that a resolution has, and one for none.
fn resolve_word(status: &str) -> &'static str {
    match status {
        "approved" => "granted",
        "declined" => "declined",
        "pending" => "pending",
        _ => "cancelled",
    }
}
