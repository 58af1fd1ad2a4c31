//! `request_permission` and `consent_request`: questions before there is a call.

use super::{read_arguments, refuse, reply};
use crate::call::decide::undecided;
use crate::relay::{Context, Relay, RpcResponse};
use crate::wire::json_text::encode_string;
use countersign_core::decide::explain;
use countersign_core::model::category::Category;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::ids::RequestId;
use countersign_core::model::redact::holds_secret;
use countersign_core::model::request::{Ahead, RequestState};
use countersign_core::model::words::{Ending, Outcome, Reason, Risk};
use countersign_engine::{CheckResult, OwnQuestion};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(super) const PERMISSION_SCHEMA: &str = r#"{"type":"object","properties":{"action":{"type":"string","description":"What you want to do, as you would explain it to a colleague"},"reasoning":{"type":"string","description":"Why it is needed"},"scope":{"type":"string","enum":["this_call","this_session","persistent"],"description":"For how long; this_call if you leave it out"},"fallback":{"type":"string","description":"What you will do if the answer is no"},"category":{"type":"string","description":"The kind of harm it could do, such as filesystem_write or shell_exec"}},"required":["action","reasoning"],"additionalProperties":false}"#;

pub(super) const CONSENT_SCHEMA: &str = r#"{"type":"object","properties":{"runId":{"type":"string"},"consentCategory":{"type":"string","description":"One category, such as purchase or send_email"},"assistiveMode":{"type":"string","description":"How the user operates the device"},"prompt":{"type":"string","description":"What will happen, for the user to read"},"defaultIfDeclined":{"type":"string","description":"What you will do if the answer is no"},"surfacesUsed":{"type":"array","items":{"type":"string"}},"call":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool"],"description":"The call that you want to make, if you know it"}},"required":["consentCategory","prompt"],"additionalProperties":false}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PermissionArguments {
    action: String,
    reasoning: String,
    #[serde(default)]
    scope: WantedScope,
    #[serde(default)]
    fallback: String,
    category: Option<Category>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WantedScope {
    #[default]
    ThisCall,
    ThisSession,
    Persistent,
}

impl WantedScope {
    const fn scope(self) -> Scope {
        match self {
            Self::ThisCall => Scope::Once,
            Self::ThisSession => Scope::Session,
            Self::Persistent => Scope::Project,
        }
    }
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
    call: Option<NamedCall>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedCall {
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

const CRITICAL_NOTICE: &str = "A yes will be recorded and returned, and allows no call: a critical \
     action is answered when it is called. Name the call.";

impl Relay {
    pub(super) async fn request_permission(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let wanted: PermissionArguments = read_arguments(context)?;
        let ahead = Ahead {
            text: wanted.action,
            category: wanted.category,
            scope: wanted.scope.scope(),
            reason: wanted.reasoning,
            fallback: wanted.fallback,
        };
        let (decision, request) = self.ask_ahead(ahead).await?;
        let Some(id) = request else { return reply(&self.describe_decision(&decision).await?) };
        self.wait_for_question(context, id).await?;
        reply(&describe_permission(&self.read_question(id).await?))
    }

    /// Asks, and returns the request, or the decision that made one needless.
    async fn ask_ahead(&self, ahead: Ahead) -> Result<(Decision, Option<RequestId>), RpcResponse> {
        if [&ahead.text, &ahead.reason, &ahead.fallback].into_iter().any(|text| holds_secret(text))
        {
            return Err(refuse("The question looks like it contains a secret. Leave it out."));
        }
        let draft = AheadDraft {
            session: self.owner.session.clone(),
            agent: self.owner.agent.clone(),
            project: self.project.clone(),
            ahead,
            parking: self.gateway.parking(),
        };
        let asked = self.gateway.host.run(move |engine| engine.ask_ahead(&draft)).await;
        asked.map_err(|error| undecided(&error))
    }

    /// Holds the request until a question is answered.
    pub(super) async fn wait_for_question(
        &self,
        context: &Context,
        id: RequestId,
    ) -> Result<(), RpcResponse> {
        let is_waiting = |slice: Duration| async move {
            let found = self.gateway.host.wait_for_question(id, &self.owner, slice).await?;
            Ok(found.is_some_and(|question| question.is_open()))
        };
        self.hold(context, is_waiting).await.map(drop).map_err(|error| undecided(&error))
    }

    pub(super) async fn read_question(&self, id: RequestId) -> Result<OwnQuestion, RpcResponse> {
        let owner = self.owner.clone();
        let found = self.gateway.host.run(move |engine| engine.read_question(id, &owner)).await;
        let found = found.map_err(|error| undecided(&error))?;
        found.ok_or_else(|| refuse("No question of this session has that id."))
    }

    /// The reply if nobody had to be asked: a live grant covers it, or the answer is no.
    async fn describe_decision(&self, decision: &Decision) -> Result<Value, RpcResponse> {
        let grant = match (&decision.basis, decision.outcome) {
            (Basis::Grants(grants), Outcome::Allow) => grants.first().copied(),
            _ => None,
        };
        let Some(id) = grant else {
            return Ok(
                json!({"granted": false, "operator_note": decision.note, "grant_id": Value::Null,
                "status": "denied", "reason": decision.reason, "sentence": explain::sentence(decision)}),
            );
        };
        let state = self.gateway.host.run(move |engine| engine.read_grant(id)).await;
        let state = state.map_err(|error| undecided(&error))?;
        let scope = state.grants.get(id).map(scope_word);
        Ok(json!({"granted": true, "scope_granted": scope, "operator_note": "", "grant_id": id,
            "status": "approved", "reason": Reason::Granted, "sentence": "a live grant covers this"}))
    }

    pub(super) async fn request_consent(
        self: &Arc<Self>,
        context: &Context,
    ) -> Result<RpcResponse, RpcResponse> {
        let wanted: ConsentArguments = read_arguments(context)?;
        let said = wanted.describe();
        if let Some(call) = &wanted.call {
            return self.request_call_consent(context, &wanted, call, said).await;
        }
        let ahead = Ahead {
            text: wanted.prompt,
            category: Some(wanted.consent_category),
            scope: Scope::Once,
            reason: said,
            fallback: wanted.default_if_declined,
        };
        let (decision, request) = self.ask_ahead(ahead).await?;
        match request {
            Some(id) => {
                let question = self.read_question(id).await?;
                let is_critical =
                    question.request.items.iter().any(|item| item.risk == Risk::Critical);
                match is_critical {
                    true => reply(&json!({"approvalId": id, "status": "pending",
                        "notice": CRITICAL_NOTICE})),
                    false => reply(&json!({"approvalId": id, "status": "pending"})),
                }
            }
            None => {
                let is_allowed = decision.outcome <= Outcome::Notify;
                let status = if is_allowed { "granted" } else { "declined" };
                reply(&json!({"approvalId": Value::Null, "status": status,
                    "decisionSummary": explain::sentence(&decision)}))
            }
        }
    }

    /// The call is decided now. If it asks, its yes is for exactly that call.
    async fn request_call_consent(
        self: &Arc<Self>,
        context: &Context,
        wanted: &ConsentArguments,
        named: &NamedCall,
        said: String,
    ) -> Result<RpcResponse, RpcResponse> {
        let params = format!(
            "{{\"name\":{},\"arguments\":{}}}",
            encode_string(&named.tool),
            named.arguments
        );
        let call = self.prepare_named(context, &named.tool, &params).await?;
        let mut draft = self.draft_call(context, &call).await?;
        draft.claims.categories.push(wanted.consent_category.clone());
        draft.claims.reason = join(&wanted.prompt, &said);
        draft.claims.fallback.clone_from(&wanted.default_if_declined);
        let host = &self.gateway.host;
        let checked = host.check_and_wait(draft, Duration::ZERO, |checked| checked).await;
        match checked.map_err(|error| undecided(&error))? {
            CheckResult::Pending { call: id, .. } => {
                self.gateway.parked.park(id, &call.params);
                reply(&json!({"approvalId": id, "operation_id": id, "status": "pending"}))
            }
            // Nothing is carried out here, and the call itself is decided again.
            CheckResult::Allowed { permit, decision, .. } => {
                let id = permit.call();
                let nothing = permit.complete(countersign_core::model::words::Effect::Nothing);
                host.complete(nothing).await.map_err(|error| undecided(&error))?;
                reply(&json!({"approvalId": id, "status": "granted",
                    "decisionSummary": explain::sentence(&decision)}))
            }
            CheckResult::AlreadyDone { call: id, decision } => reply(&json!({"approvalId": id,
                "status": "granted", "decisionSummary": explain::sentence(&decision)})),
            CheckResult::Denied { call: id, decision } => reply(&json!({"approvalId": id,
                "status": "declined", "decisionSummary": explain::sentence(&decision)})),
        }
    }
}

fn join(prompt: &str, said: &str) -> String {
    if said.is_empty() { prompt.to_owned() } else { format!("{prompt} ({said})") }
}

/// The four fields of the reply, and what a program may want to know beyond them.
fn describe_permission(question: &OwnQuestion) -> Value {
    let grant = question.grant.as_ref().filter(|grant| grant.in_force(question.now));
    let (status, sentence) = describe_state(question);
    json!({
        "granted": grant.is_some(),
        "scope_granted": grant.map(scope_word),
        "operator_note": question.request.note,
        "grant_id": grant.map(|grant| grant.id),
        "status": status,
        "request_id": question.request.id,
        "sentence": sentence,
    })
}

/// Whether a question is answered, and how.
pub(super) fn describe_state(question: &OwnQuestion) -> (&'static str, &'static str) {
    match question.request.state {
        _ if question.is_open() => {
            ("pending", "the operator has not answered yet; ask again with consent_status")
        }
        RequestState::Closed(Ending::Approved) if question.grant.is_none() => {
            ("approved", "the operator said yes; it is recorded and allows no call by itself")
        }
        RequestState::Closed(Ending::Approved) => ("approved", "the operator said yes"),
        RequestState::Closed(Ending::Declined) => ("declined", "the operator said no"),
        RequestState::Closed(Ending::Cancelled) => ("cancelled", "the question was withdrawn"),
        RequestState::Open | RequestState::Closed(Ending::Expired) => {
            ("expired", "nobody answered in time")
        }
    }
}

fn scope_word(grant: &Grant) -> &'static str {
    match grant.scope {
        Scope::Once => "this_call",
        Scope::Until => "15m",
        Scope::Run => "this_run",
        Scope::Session => "this_session",
        Scope::Project => "persistent",
    }
}
