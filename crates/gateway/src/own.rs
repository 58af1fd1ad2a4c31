//! Our own tools. They ask and report; none of them grants anything, and none is gated.
//!
//! Arguments and replies have the names that earlier systems gave them. A reply is one JSON object,
//! as text and as structured content.

mod asking;
mod checking;
mod guard_prompt;
mod ledger;
mod resolving;
mod retry;
mod workflows;

pub(crate) use guard_prompt::{GUARD_PROMPT, define_guard_prompt, get_guard_prompt};

use crate::call::{Servers, ToolCalls, refusal};
use crate::client::ClientRequest;
use crate::wire::{RpcResponse, encode_string, find};
use countersign_core::encoding::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// The tool of ours that a client means by this name.
pub(crate) fn find_own_tool(servers: &Servers, name: &str) -> Option<OwnTool> {
    TOOLS.iter().find(|tool| servers.own_tool_name(tool.name) == name).copied()
}

pub(crate) async fn call_own_tool(
    calls: &ToolCalls,
    request: &ClientRequest,
    tool: OwnTool,
) -> RpcResponse {
    let answered = match tool.kind {
        OwnKind::Retry => retry::retry_operation(calls, request).await,
        OwnKind::RequestPermission => asking::request_permission(calls, request).await,
        OwnKind::ConsentRequest => asking::request_consent(calls, request).await,
        OwnKind::ConsentResolve => resolving::resolve_consent(calls, request).await,
        OwnKind::ConsentList => checking::list_consent(calls).await,
        OwnKind::ConsentStatus => checking::report_status(calls, request).await,
        OwnKind::CheckConsent => checking::check_consent(calls, request).await,
        OwnKind::WorkflowStart => workflows::start_workflow(calls, request).await,
        OwnKind::WorkflowStep => workflows::enter_step(calls, request).await,
        OwnKind::WorkflowEnd => workflows::end_workflow(calls, request).await,
        OwnKind::LedgerRecord => ledger::record_statement(calls, request).await,
        OwnKind::LedgerList => ledger::list_statements(calls).await,
    };
    answered.unwrap_or_else(|refused| refused)
}

/// The arguments of a call of our own tool. A wrong one is explained to the model.
fn read_arguments<T: DeserializeOwned>(request: &ClientRequest) -> Result<T, RpcResponse> {
    let arguments = find(request.message.params(), &["arguments"]).unwrap_or("{}");
    let value = json::parse(arguments.as_bytes()).map_err(|error| refuse(&error.to_string()))?;
    T::deserialize(value).map_err(|error| refuse(&error.to_string()))
}

/// What a tool of ours answers; an error tells the model what is wrong.
type ToolAnswer = Result<RpcResponse, RpcResponse>;

/// A reply, as text and as structured content.
fn reply(value: &impl Serialize) -> ToolAnswer {
    let text = serde_json::to_string(value).map_err(|error| refuse(&error.to_string()))?;
    let content = format!("[{{\"type\":\"text\",\"text\":{}}}]", encode_string(&text));
    Ok(RpcResponse::Result(format!("{{\"content\":{content},\"structuredContent\":{text}}}")))
}

/// A reply that tells the model what is wrong.
fn refuse(text: &str) -> RpcResponse {
    RpcResponse::Result(refusal(text))
}
