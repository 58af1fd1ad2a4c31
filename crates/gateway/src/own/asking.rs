//! `request_permission` and `consent_request`: questions before there is a call.

use super::{ToolAnswer, read_arguments, reply};
use crate::call::{ToolCalls, undecided};
use crate::client::ClientRequest;
use crate::wire::encode_string;
use countersign_api::{AheadStatus, AskAheadResponse, AskedScope};
use countersign_core::decide::explain;
use countersign_core::model::call::Parking;
use countersign_core::model::category::Category;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::AskAhead;
use countersign_core::model::words::Effect;
use countersign_engine::CheckResult;
use countersign_host::AgentError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const PERMISSION_SCHEMA: &str = r#"{"type":"object","properties":{"action":{"type":"string","description":"What you want to do, as you would explain it to a colleague"},"reasoning":{"type":"string","description":"Why it is needed"},"scope":{"type":"string","enum":["this_call","this_session","persistent"],"description":"For how long; this_call if you leave it out"},"fallback":{"type":"string","description":"What you will do if the answer is no"},"category":{"type":"string","description":"The kind of harm it could do, such as filesystem_write or shell_exec"}},"required":["action","reasoning"],"additionalProperties":false}"#;

pub(super) const CONSENT_SCHEMA: &str = r#"{"type":"object","properties":{"runId":{"type":"string"},"consentCategory":{"type":"string","description":"One category, such as purchase or send_email"},"assistiveMode":{"type":"string","description":"How the user operates the device"},"prompt":{"type":"string","description":"What will happen, for the user to read"},"defaultIfDeclined":{"type":"string","description":"What you will do if the answer is no"},"surfacesUsed":{"type":"array","items":{"type":"string"}},"call":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool"],"description":"The call that you want to make, if you know it"}},"required":["consentCategory","prompt"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PermissionArguments {
    action: String,
    reasoning: String,
    #[serde(default)]
    scope: AskedScope,
    #[serde(default)]
    fallback: String,
    category: Option<Category>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ConsentArguments {
    #[serde(default)]
    run_id: String,
    consent_category: Category,
    #[serde(default)]
    assistive_mode: String,
    prompt: String,
    #[serde(default)]
    default_if_declined: String,
    #[serde(default)]
    surfaces_used: Vec<String>,
    call: Option<AskedCall>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedCall {
    tool: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
}

fn no_arguments() -> Value {
    json!({})
}

impl ConsentArguments {
    /// What the agent says around the question. The card shows it as the agent's words.
    fn describe(&self) -> String {
        let parts = [
            ("run", self.run_id.clone()),
            ("assistive mode", self.assistive_mode.clone()),
            ("surfaces used", self.surfaces_used.join(", ")),
        ];
        let said = parts.iter().filter(|(_, value)| !value.is_empty());
        said.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("; ")
    }
}

pub(super) async fn request_permission(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let wanted: PermissionArguments = read_arguments(request)?;
    let asked = ask_ahead(
        calls,
        AskAhead {
            text: wanted.action,
            category: wanted.category,
            scope: wanted.scope.scope(),
            reason: wanted.reasoning,
            fallback: wanted.fallback,
        },
    );
    let mut asked = asked.await?;
    if let (AheadStatus::Pending, Some(id)) = (asked.status, asked.request_id) {
        asked = wait_for_question(calls, request, id).await?;
    }
    if asked.status == AheadStatus::Pending {
        let status = calls.servers.own_tool_name("consent_status");
        asked.sentence.push_str(&format!("; {status} tells when there is an answer"));
    }
    reply(&asked)
}

/// Asks, without waiting for the answer.
async fn ask_ahead(calls: &ToolCalls, ahead: AskAhead) -> Result<AskAheadResponse, AgentError> {
    let draft = AheadDraft {
        session: calls.owner.session.clone(),
        agent: calls.owner.agent.clone(),
        project: calls.project.clone(),
        ahead,
        parking: Parking::Allowed,
    };
    calls.shared.host.ask_ahead(draft, Duration::ZERO).await
}

/// Waits until a question is answered, as long as the client waits.
pub(super) async fn wait_for_question(
    calls: &ToolCalls,
    request: &ClientRequest,
    id: RequestId,
) -> Result<AskAheadResponse, AgentError> {
    let read = |wait| calls.shared.host.wait_for_question(id, &calls.owner, wait);
    let is_waiting = async |wait| read(wait).await.map(|q| q.status == AheadStatus::Pending);
    calls.wait_with_progress(request, is_waiting).await?;
    read(Duration::ZERO).await
}

pub(super) async fn request_consent(calls: &ToolCalls, request: &ClientRequest) -> ToolAnswer {
    let wanted: ConsentArguments = read_arguments(request)?;
    let said = wanted.describe();
    if let Some(call) = &wanted.call {
        return request_call_consent(calls, request, &wanted, call, said).await;
    }
    let asked = ask_ahead(
        calls,
        AskAhead {
            text: wanted.prompt,
            category: Some(wanted.consent_category),
            scope: Scope::Once,
            reason: said,
            fallback: wanted.default_if_declined,
        },
    );
    let AskAheadResponse { status, request_id, sentence, .. } = asked.await?;
    let word = resolve_word(status);
    match status {
        AheadStatus::Pending => {
            reply(&json!({"approvalId": request_id, "status": word, "notice": sentence}))
        }
        _ => reply(&json!({"approvalId": Value::Null, "status": word,
            "decisionSummary": sentence})),
    }
}

/// The call is decided now. If it asks, its yes is for exactly that call.
async fn request_call_consent(
    calls: &ToolCalls,
    request: &ClientRequest,
    wanted: &ConsentArguments,
    named: &AskedCall,
    said: String,
) -> ToolAnswer {
    let params =
        format!("{{\"name\":{},\"arguments\":{}}}", encode_string(&named.tool), named.arguments);
    let call = calls.prepare_named(request, &named.tool, &params).await?;
    let mut draft = calls.draft_call(request, &call).await?;
    // A claimed category would be a part of the digest, and the yes would be for another call.
    let category = &wanted.consent_category;
    let said = if said.is_empty() { said } else { format!("; {said}") };
    draft.claims.reason = format!("{} (category: {category}{said})", wanted.prompt);
    draft.claims.fallback.clone_from(&wanted.default_if_declined);
    let host = &calls.shared.host;
    let checked = host.check_and_wait(draft, Duration::ZERO, |checked| checked).await;
    let checked = checked.map_err(|error| undecided(&error))?;
    let (id, summary) = (checked.call(), explain::sentence(checked.decision()));
    let status = match checked {
        CheckResult::Pending { call: id, .. } => {
            calls.shared.park(id, &call.params);
            return reply(&json!({"approvalId": id, "operation_id": id, "status": "pending"}));
        }
        // Nothing is carried out here, and the call itself is decided again.
        CheckResult::Allowed { permit, .. } => {
            let nothing = permit.complete(Effect::Nothing);
            host.complete(nothing).await.map_err(|error| undecided(&error))?;
            "granted"
        }
        CheckResult::AlreadyDone { .. } => "granted",
        CheckResult::Denied { .. } => "declined",
    };
    reply(&json!({"approvalId": id, "status": status, "decisionSummary": summary}))
}

/// The three words that a resolution has, and one for none.
pub(super) const fn resolve_word(status: AheadStatus) -> &'static str {
    match status {
        AheadStatus::Approved => "granted",
        AheadStatus::Declined | AheadStatus::Denied => "declined",
        AheadStatus::Pending => "pending",
        AheadStatus::Cancelled | AheadStatus::Expired => "cancelled",
    }
}
