//! `check_consent`, `consent_list` and `consent_status`: what holds, without asking anybody.

use super::workflows::describe_run;
use super::{ToolAnswer, read_arguments, refuse, reply};
use crate::call::ToolCalls;
use crate::client::ClientRequest;
use countersign_core::decide::explain;
use countersign_core::model::ids::{CallId, RequestId, RunId};
use countersign_core::model::names::Action;
use countersign_core::model::words::Effect;
use countersign_core::state::CallState;
use countersign_host::ActionCheck;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

pub(super) const NO_ARGUMENTS: &str =
    r#"{"type":"object","properties":{},"additionalProperties":false}"#;

pub(super) const CHECK_SCHEMA: &str = r#"{"type":"object","properties":{"domain":{"type":"string","description":"Such as email"},"action":{"type":"string","description":"Such as send"},"confidence":{"type":"number","minimum":0,"maximum":1,"description":"How sure you are"}},"required":["domain","action"],"additionalProperties":false}"#;

pub(super) const STATUS_SCHEMA: &str = r#"{"type":"object","properties":{"operation_id":{"type":"string"},"request_id":{"type":"string"},"run_id":{"type":"string"}},"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckArguments {
    domain: String,
    action: String,
    #[serde(default)]
    confidence: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusArguments {
    operation_id: Option<CallId>,
    request_id: Option<RequestId>,
    run_id: Option<RunId>,
}

pub(super) async fn check_consent(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let CheckArguments { domain, action, confidence } = read_arguments(request)?;
    let action = Action::new(&domain, &action).map_err(|error| refuse(&error.to_string()))?;
    let host = &calls.shared.host;
    let mut draft = host.draft_call(&calls.owner, vec![action.clone()], None, json!({}))?;
    draft.project.clone_from(&calls.project);
    draft.claims.confidence = confidence;
    let ActionCheck { tier, decision } = host.check_action(draft).await?;
    reply(&json!({"action": action, "tier": tier, "outcome": decision.outcome,
        "reason": decision.reason, "sentence": explain::sentence(&decision)}))
}

pub(super) async fn list_consent(calls: &ToolCalls) -> ToolAnswer {
    reply(&calls.shared.host.list_own_consent(calls.owner.clone()).await?)
}

pub(super) async fn report_status(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let (host, owner, now) = (&calls.shared.host, &calls.owner, Duration::ZERO);
    match read_arguments(request)? {
        StatusArguments { operation_id: Some(call), .. } => {
            let (status, sentence) = describe_call(host.read_operation(call, owner, now).await?);
            reply(&json!({"operation_id": call, "status": status, "sentence": sentence}))
        }
        StatusArguments { request_id: Some(id), .. } => {
            reply(&host.wait_for_question(id, owner, now).await?)
        }
        StatusArguments { run_id: Some(run), .. } => {
            reply(&describe_run(&host.wait_for_start(run, owner, now).await?))
        }
        _ => Err(refuse("Name an operation_id, a request_id or a run_id.")),
    }
}

pub(super) fn describe_call(state: CallState) -> (&'static str, &'static str) {
    match state {
        CallState::Parked => ("pending", "the operator has not answered yet"),
        CallState::Approved => ("approved", "the operator said yes: retry carries it out"),
        CallState::Executing => ("running", "it is being carried out"),
        CallState::Ended(Effect::Done) => ("done", "it was carried out: retry returns the result"),
        CallState::Ended(Effect::Unknown) => ("unknown", "whether it was carried out is unknown"),
        CallState::Ended(Effect::Nothing) => ("not_sent", "the server received nothing: retry"),
        CallState::Ended(Effect::Failed | Effect::Forbidden) => {
            ("failed", "it was tried and failed")
        }
        CallState::Declined => ("declined", "the operator said no"),
        CallState::Denied => ("denied", "the operator's rules forbid it"),
        CallState::Expired => ("expired", "nobody answered in time"),
        CallState::Stopped | CallState::Cancelled => ("cancelled", "it was withdrawn or stopped"),
    }
}
