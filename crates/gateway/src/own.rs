//! Our own tools. They ask and report; none of them grants anything, and none is gated.
//!
//! Arguments and replies have the names that earlier systems gave them. A reply is one JSON object,
//! as text and as structured content.

mod asking;
mod checking;
mod ledger;
mod resolving;
mod retry;
mod workflows;

pub(crate) use retry::adopt_meta;

use crate::call::texts::refusal;
use crate::relay::{Context, Relay, RpcResponse};
use crate::wire::json_text::{encode_string, find};
use countersign_core::encoding::json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A tool of ours.
#[derive(Clone, Copy)]
pub(crate) struct OwnTool {
    pub(crate) name: &'static str,
    /// Tells a model when to use it.
    description: &'static str,
    /// The schema of the arguments.
    schema: &'static str,
    kind: OwnKind,
}

#[derive(Clone, Copy)]
enum OwnKind {
    RequestPermission,
    ConsentRequest,
    ConsentResolve,
    ConsentList,
    ConsentStatus,
    CheckConsent,
    Retry,
    WorkflowStart,
    WorkflowStep,
    WorkflowEnd,
    LedgerRecord,
    LedgerList,
}

pub(crate) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "retry",
        description: "Carries out a call that waited for the operator. Use it with the operation_id \
                      of a result that said the call waits. It waits for the answer, carries out \
                      the call once if it was approved, and returns its result.",
        schema: retry::SCHEMA,
        kind: OwnKind::Retry,
    },
    OwnTool {
        name: "consent_status",
        description: "Tells whether something that waited for the operator was answered, without \
                      carrying anything out. Use it with an operation_id, request_id or run_id.",
        schema: checking::STATUS_SCHEMA,
        kind: OwnKind::ConsentStatus,
    },
    OwnTool {
        name: "request_permission",
        description: "Asks the operator for permission before you do something that needs it. Say \
                      concretely what you want to do and why; the operator reads it word for word. \
                      It waits for the answer. A no is final: do not ask again in other words.",
        schema: asking::PERMISSION_SCHEMA,
        kind: OwnKind::RequestPermission,
    },
    OwnTool {
        name: "consent_request",
        description: "Asks the operator for consent to one action of one category, and returns an \
                      approvalId at once. Wait for the decision with consent_resolve. If you name \
                      the call (tool and arguments), a yes allows exactly that call, once.",
        schema: asking::CONSENT_SCHEMA,
        kind: OwnKind::ConsentRequest,
    },
    OwnTool {
        name: "consent_resolve",
        description: "Waits for the operator's decision on an approvalId, and returns it: granted, \
                      declined or cancelled. You cannot decide it yourself. Anything but granted \
                      means stop.",
        schema: resolving::SCHEMA,
        kind: OwnKind::ConsentResolve,
    },
    OwnTool {
        name: "consent_list",
        description: "Lists what the operator has allowed you in this session, what you have asked, \
                      and which of your calls are not over.",
        schema: checking::NO_ARGUMENTS,
        kind: OwnKind::ConsentList,
    },
    OwnTool {
        name: "check_consent",
        description: "Tells what the operator's rules say about an action, such as email send, \
                      without asking anybody and without doing anything.",
        schema: checking::CHECK_SCHEMA,
        kind: OwnKind::CheckConsent,
    },
    OwnTool {
        name: "workflow_start",
        description: "Starts a run of a workflow that the operator has defined, and waits if the \
                      operator is asked. Your calls then belong to that run until workflow_end.",
        schema: workflows::START_SCHEMA,
        kind: OwnKind::WorkflowStart,
    },
    OwnTool {
        name: "workflow_step",
        description: "Says which step of the running workflow your next calls belong to.",
        schema: workflows::STEP_SCHEMA,
        kind: OwnKind::WorkflowStep,
    },
    OwnTool {
        name: "workflow_end",
        description: "Ends the running workflow. Its permissions end with it.",
        schema: workflows::END_SCHEMA,
        kind: OwnKind::WorkflowEnd,
    },
    OwnTool {
        name: "action_ledger_record",
        description: "Records in your own words what you did or did not do, and how you know. It is \
                      kept as your claim. Leave secrets out.",
        schema: ledger::RECORD_SCHEMA,
        kind: OwnKind::LedgerRecord,
    },
    OwnTool {
        name: "action_ledger_list",
        description: "Lists the last 50 records that you made in this session.",
        schema: checking::NO_ARGUMENTS,
        kind: OwnKind::LedgerList,
    },
];

impl OwnTool {
    /// The definition for a list of tools.
    pub(crate) fn definition(&self, name: &str) -> String {
        let (name, description) = (encode_string(name), encode_string(self.description));
        let schema = self.schema;
        format!("{{\"name\":{name},\"description\":{description},\"inputSchema\":{schema}}}")
    }
}

impl Relay {
    /// The tool of ours that a client means by this name.
    pub(crate) fn find_own_tool(&self, name: &str) -> Option<OwnTool> {
        TOOLS.iter().find(|tool| self.own_name(tool.name) == name).copied()
    }

    pub(crate) async fn call_own_tool(
        self: &Arc<Self>,
        context: &Context,
        tool: OwnTool,
    ) -> RpcResponse {
        let answered = match tool.kind {
            OwnKind::Retry => return self.retry_operation(context).await,
            OwnKind::RequestPermission => self.request_permission(context).await,
            OwnKind::ConsentRequest => self.request_consent(context).await,
            OwnKind::ConsentResolve => self.resolve_consent(context).await,
            OwnKind::ConsentList => self.list_consent().await,
            OwnKind::ConsentStatus => self.report_status(context).await,
            OwnKind::CheckConsent => self.check_consent(context).await,
            OwnKind::WorkflowStart => self.start_workflow(context).await,
            OwnKind::WorkflowStep => self.enter_step(context).await,
            OwnKind::WorkflowEnd => self.end_workflow(context).await,
            OwnKind::LedgerRecord => self.record_statement(context).await,
            OwnKind::LedgerList => self.list_statements().await,
        };
        answered.unwrap_or_else(|refused| refused)
    }
}

/// The arguments of a call of our own tool. A wrong one is explained to the model.
fn read_arguments<T: DeserializeOwned>(context: &Context) -> Result<T, RpcResponse> {
    let arguments = find(context.message.params(), &["arguments"]).unwrap_or("{}");
    let value = json::parse(arguments.as_bytes()).map_err(|error| refuse(&error.to_string()))?;
    T::deserialize(value).map_err(|error| refuse(&error.to_string()))
}

/// A reply, as text and as structured content.
fn reply(value: &impl Serialize) -> Result<RpcResponse, RpcResponse> {
    let text = serde_json::to_string(value).map_err(|error| refuse(&error.to_string()))?;
    let content = format!("[{{\"type\":\"text\",\"text\":{}}}]", encode_string(&text));
    Ok(RpcResponse::Result(format!("{{\"content\":{content},\"structuredContent\":{text}}}")))
}

/// A reply that tells the model what is wrong.
fn refuse(text: &str) -> RpcResponse {
    RpcResponse::Result(refusal(text))
}
