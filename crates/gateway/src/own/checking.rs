//! `check_consent`, `consent_list` and `consent_status`: what holds, without asking anybody.

use super::asking::describe_state;
use super::{read_arguments, refuse, reply};
use crate::call::decide::undecided;
use crate::limits;
use crate::relay::{Context, Relay, RpcResponse};
use countersign_api::{OwnGrantView, OwnOperationView, OwnRequestView};
use countersign_core::decide::{explain, printed_tier};
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::{CallId, RequestId, RunId};
use countersign_core::model::names::Action;
use countersign_core::model::words::Effect;
use countersign_core::state::CallState;
use countersign_engine::OwnConsent;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

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
    operation_id: Option<String>,
    request_id: Option<String>,
    run_id: Option<String>,
}

impl Relay {
    pub(super) async fn check_consent(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let CheckArguments { domain, action, confidence } = read_arguments(context)?;
        let action = Action::new(&domain, &action).map_err(|error| refuse(&error.to_string()))?;
        let graph = self.gateway.host.graph().map_err(|error| undecided(&error))?;
        let graph = graph.ok_or_else(|| refuse("There are no rules, so nothing is allowed."))?;
        let (agent, session) = (self.owner.agent.clone(), self.owner.session.clone());
        let mut draft = CallDraft::plain(agent, session, action.clone());
        draft.project.clone_from(&self.project);
        draft.claims.confidence = confidence;
        draft.parking = self.gateway.parking();
        let decided = self.gateway.host.run(move |engine| {
            let today = engine.display_time().date();
            engine.decide_hypothetical(&draft).map(|decision| (decision, today))
        });
        let (decision, today) = decided.await.map_err(|error| undecided(&error))?;
        reply(&json!({
            "action": action,
            "tier": printed_tier(&graph, &action, confidence, today).word(),
            "outcome": decision.outcome,
            "reason": decision.reason,
            "sentence": explain::sentence(&decision),
        }))
    }

    pub(super) async fn list_consent(&self) -> Result<RpcResponse, RpcResponse> {
        let owner = self.owner.clone();
        let found = self.gateway.host.run(move |engine| engine.list_own_consent(&owner)).await;
        let OwnConsent { grants, requests, calls, .. } =
            found.map_err(|error| undecided(&error))?;
        let most = limits::LISTED_OBJECTS;
        let grants: Vec<OwnGrantView> = grants.iter().take(most).map(Into::into).collect();
        let requests: Vec<OwnRequestView> = requests.iter().take(most).map(Into::into).collect();
        let calls: Vec<OwnOperationView> = calls.iter().take(most).map(Into::into).collect();
        reply(&json!({"grants": grants, "requests": requests, "operations": calls}))
    }

    pub(super) async fn report_status(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let named: StatusArguments = read_arguments(context)?;
        let unknown = || refuse("Nothing of this session has that id.");
        if let Some(id) = named.operation_id {
            let call = CallId::parse(&id).ok_or_else(unknown)?;
            let owner = self.owner.clone();
            let state = self.gateway.host.run(move |engine| engine.call_state(call, &owner)).await;
            let state = state.map_err(|error| undecided(&error))?.ok_or_else(unknown)?;
            let (status, sentence) = describe_call(state);
            return reply(&json!({"operation_id": call, "status": status, "sentence": sentence}));
        }
        if let Some(id) = named.request_id {
            let id = RequestId::parse(&id).ok_or_else(unknown)?;
            let question = self.read_question(id).await?;
            let (status, sentence) = describe_state(&question);
            let note = &question.request.note;
            return reply(&json!({"request_id": id, "status": status, "sentence": sentence,
                "operator_note": note}));
        }
        let run = named.run_id.as_deref().and_then(RunId::parse).ok_or_else(unknown)?;
        reply(&self.describe_run(run).await?)
    }
}

fn describe_call(state: CallState) -> (&'static str, &'static str) {
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
