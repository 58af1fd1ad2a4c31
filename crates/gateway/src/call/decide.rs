//! Decides a tool call, and waits for the operator if it asks.

use super::kept::Keeping;
use super::parents::META_PARENT;
use super::texts::{self, denied_result, pending_result, result_gone};
use super::tools::{ListedTool, OutputSchema, is_tool_name};
use crate::era::{Era, META_CAPABILITIES, TASKS, remove_tasks};
use crate::limits;
use crate::relay::{Context, Front, Relay, RpcResponse, ServerSlot};
use crate::wire::json_text::{decode_string, find, remove_member, set_at, set_member};
use crate::wire::message::notification;
use countersign_core::encoding::json;
use countersign_core::model::call::CallDraft;
use countersign_core::model::graph::unmapped_tool_action;
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{Action, Step, Tool};
use countersign_core::state::CallState;
use countersign_engine::{CheckResult, EngineError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Members of `_meta` with which a client names the run and the step of a call.
const META_RUN: &str = "countersign/run";
const META_STEP: &str = "countersign/step";

/// A call of a server's tool, ready to be decided.
pub(crate) struct ToolCall {
    pub(crate) slot: Arc<ServerSlot>,
    /// The tool's name at its server.
    pub(crate) tool: String,
    /// The params as they will be sent: with the defaults that the arguments lacked.
    pub(crate) params: String,
    pub(crate) definition: Option<ListedTool>,
    args: Value,
    pub(crate) keeping: Keeping,
}

impl ToolCall {
    pub(crate) fn output(&self) -> OutputSchema {
        self.definition.as_ref().map_or(OutputSchema::None, |definition| definition.output)
    }

    /// A call that was decided before, and whose client may be another one by now.
    pub(crate) fn restored(slot: Arc<ServerSlot>, tool: String, params: String) -> Self {
        let definition = slot.find_tool(&tool);
        let (args, keeping) = (Value::Null, Keeping::InStore);
        Self { slot, tool, params, definition, args, keeping }
    }

    /// The name under which the graph knows the tool.
    pub(crate) fn full_name(&self) -> String {
        format!("mcp__{}__{}", self.slot.spec.name, self.tool)
    }
}

impl Relay {
    pub(crate) async fn call_tool(self: &Arc<Self>, context: &Context) -> RpcResponse {
        let params = context.message.params();
        let Some(name) = find(params, &["name"]).and_then(decode_string) else {
            return RpcResponse::invalid("the call names no tool");
        };
        if let Some(tool) = self.find_own_tool(&name) {
            return self.call_own_tool(context, tool).await;
        }
        if let Some(paused) = self.take_continuation(context) {
            return self.continue_call(context, paused).await;
        }
        if let Some(put) = self.gateway.questions.take(self, context) {
            return self.continue_question(context, put).await;
        }
        if find(params, &["requestState"]).is_some() {
            return RpcResponse::unknown_state();
        }
        match self.prepare_call(context, &name).await {
            Ok(call) => self.decide_call(context, call).await,
            Err(answer) => answer,
        }
    }

    /// Finds server and definition of a tool, and reads the arguments.
    pub(crate) async fn prepare_call(
        self: &Arc<Self>,
        context: &Context,
        name: &str,
    ) -> Result<ToolCall, RpcResponse> {
        let params = context.message.params();
        let call = self.prepare_named(context, name, params).await?;
        if let Some(definition) = &call.definition {
            let arguments = find(params, &["arguments"]).unwrap_or("{}");
            let checked = definition.mirrored.check(&context.headers, arguments);
            checked.map_err(|why| RpcResponse::error(-32020, &why))?;
        }
        Ok(call)
    }

    /// The same for a call with other params than the request's.
    pub(crate) async fn prepare_named(
        self: &Arc<Self>,
        context: &Context,
        name: &str,
        params: &str,
    ) -> Result<ToolCall, RpcResponse> {
        let (slot, tool) = self
            .find_tool_server(name)
            .ok_or_else(|| RpcResponse::invalid(&format!("the tool `{name}` is not known")))?;
        if !is_tool_name(&tool) {
            return Err(RpcResponse::invalid("the name of the tool has unusual characters"));
        }
        let refuse = |text: &str| RpcResponse::Result(texts::refusal(text));
        let upstream = self.connect(&slot, &context.hello).await;
        let upstream = upstream.map_err(|unavailable| refuse(unavailable.text()))?;
        slot.ensure_tools(&upstream, &context.hello).await;
        let definition = slot.find_tool(&tool);
        let arguments = find(params, &["arguments"]).filter(|arguments| *arguments != "null");
        let arguments = arguments.unwrap_or("{}");
        let filled = definition.as_ref().map(|definition| definition.fill_in(arguments));
        let filled = filled.as_deref().unwrap_or(arguments);
        let args = json::parse(filled.as_bytes()).map_err(|error| {
            RpcResponse::invalid(&format!("the arguments cannot be decided: {error}"))
        })?;
        if !args.is_object() {
            return Err(RpcResponse::invalid("`arguments` is not an object"));
        }
        let mut sent = self.remove_unroutable(remove_meta(params));
        if filled != arguments {
            sent = set_member(&sent, "arguments", filled);
        }
        if tool != name {
            sent = set_member(&sent, "name", &crate::wire::json_text::encode_string(&tool));
        }
        let keeping = Keeping::InMemory;
        Ok(ToolCall { slot, tool, params: sent, definition, args, keeping })
    }

    /// Several servers cannot be asked for their own tasks: their ids do not tell whose they are.
    fn remove_unroutable(&self, params: String) -> String {
        let path = ["_meta", META_CAPABILITIES];
        match find(&params, &path).filter(|_| self.front == Front::Many) {
            Some(capabilities) if capabilities.contains(TASKS) => {
                set_at(&params, &path, &remove_tasks(capabilities))
            }
            Some(_) | None => params,
        }
    }

    /// The server of a tool, and the tool's name there.
    pub(super) fn find_tool_server(&self, name: &str) -> Option<(Arc<ServerSlot>, String)> {
        match self.front {
            Front::Single => Some((Arc::clone(self.slots.first()?), name.to_owned())),
            Front::Many => {
                let (server, tool) = name.split_once("__")?;
                Some((Arc::clone(self.find_slot(server)?), tool.to_owned()))
            }
        }
    }

    async fn decide_call(self: &Arc<Self>, context: &Context, mut call: ToolCall) -> RpcResponse {
        if let Some(permit) = self.take_over(context, &mut call).await {
            return self.execute(context, call, permit).await;
        }
        let draft = match self.draft_call(context, &call).await {
            Ok(draft) => draft,
            Err(answer) => return answer,
        };
        let host = &self.gateway.host;
        let checked = host.check_and_wait(draft, Duration::ZERO, |checked| checked).await;
        let checked = match checked {
            Ok(CheckResult::Pending { call: id, decision, announced }) => {
                self.gateway.parked.park(id, &call.params);
                call.keeping = Keeping::InStore;
                if let Err(why) = self.pin_new_definition(&call).await {
                    return RpcResponse::Result(texts::refusal(&format!(
                        "Not carried out: {why}."
                    )));
                }
                if context.hello.takes_tasks() {
                    return texts::announce(self.create_task(context, id, &decision), &announced);
                }
                let question = self.find_client_question(context, id).await;
                if let Some(question) =
                    question.clone().filter(|_| context.hello.era == Era::Modern)
                    && let Some(response) = self.put_in_result(context, id, question)
                {
                    return texts::announce(response, &announced);
                }
                match self.wait_with_client(context, id, question).await {
                    Ok(true) => host.retry(id, self.owner.clone()).await,
                    Ok(false) => Ok(CheckResult::Pending { call: id, decision, announced }),
                    Err(error) => Err(error),
                }
            }
            other => other,
        };
        match checked {
            Ok(checked) => self.act_on(context, call, checked).await,
            Err(error) => undecided(&error),
        }
    }

    /// Does what was decided about a call.
    pub(crate) async fn act_on(
        self: &Arc<Self>,
        context: &Context,
        call: ToolCall,
        checked: CheckResult,
    ) -> RpcResponse {
        let announced = checked.announced().to_vec();
        let response = match checked {
            CheckResult::Allowed { permit, .. } => self.execute(context, call, permit).await,
            CheckResult::AlreadyDone { call: id, .. } => self.repeat_result(id).await,
            CheckResult::Pending { call: id, decision, .. } => {
                let retry = self.own_name("retry");
                RpcResponse::Result(pending_result(id, &decision, &retry, call.output()))
            }
            CheckResult::Denied { call: id, decision } => {
                RpcResponse::Result(denied_result(id, &decision))
            }
        };
        texts::announce(response, &announced)
    }

    pub(crate) async fn repeat_result(&self, call: CallId) -> RpcResponse {
        match self.find_response(call).await {
            Some(response) => response.into(),
            None => RpcResponse::Result(result_gone(call)),
        }
    }

    pub(crate) async fn draft_call(
        self: &Arc<Self>,
        context: &Context,
        call: &ToolCall,
    ) -> Result<CallDraft, RpcResponse> {
        let invalid = |error: &dyn std::fmt::Display| RpcResponse::invalid(&error.to_string());
        let tool = Tool::parse(&call.full_name()).map_err(|error| invalid(&error))?;
        let actions = self.actions_for(&tool, &call.args)?;
        let first = actions.first().cloned();
        let first =
            first.ok_or_else(|| RpcResponse::invalid("the graph gives the tool no action"))?;
        let (agent, session) = (self.owner.agent.clone(), self.owner.session.clone());
        let mut draft = CallDraft::plain(agent, session, first);
        draft.actions = actions;
        draft.project.clone_from(&self.project);
        draft.tool = Some(tool);
        draft.args = call.args.clone();
        draft.cwd = call.slot.folder();
        draft.parking = self.gateway.parking();
        draft.claims.risk = call.definition.as_ref().and_then(|definition| definition.risk);
        draft.observed.definition = self.compare_definition(call);
        self.observe_parent(context, &mut draft).await?;
        self.observe_run(context, &mut draft)?;
        Ok(draft)
    }

    fn actions_for(&self, tool: &Tool, args: &Value) -> Result<Vec<Action>, RpcResponse> {
        let graph = self.gateway.host.graph().map_err(|error| undecided(&error))?;
        let actions = match graph {
            Some(graph) => graph.actions_for_tool(tool, args),
            None => unmapped_tool_action(tool).map(|action| vec![action]),
        };
        actions.map_err(|error| RpcResponse::invalid(&error.to_string()))
    }

    /// A token proves the parent. A wrong one is refused, so that nothing counts as nested that is
    /// not.
    async fn observe_parent(
        &self,
        context: &Context,
        draft: &mut CallDraft,
    ) -> Result<(), RpcResponse> {
        let Some(token) = find(context.message.params(), &["_meta", META_PARENT]) else {
            return Ok(());
        };
        let parent = decode_string(token).and_then(|token| self.gateway.parents.find(&token));
        let parent =
            parent.ok_or_else(|| RpcResponse::invalid("the parent's token is not valid"))?;
        let owner = self.owner.clone();
        let stored = self.gateway.host.run(move |engine| engine.stored_call(parent, &owner)).await;
        let stored = stored.map_err(|error| undecided(&error))?;
        let stored =
            stored.ok_or_else(|| RpcResponse::invalid("the parent is not of this session"))?;
        draft.observed.parent = Some(parent);
        let own = stored.tool.iter().map(|tool| tool.as_str().to_owned());
        let own = own.chain(stored.actions.iter().map(|action| action.as_str().to_owned()));
        let above = stored.observed.callers.iter().cloned();
        draft.observed.callers = own.chain(above).take(limits::MAX_CALLER_DEPTH).collect();
        Ok(())
    }

    /// The run and step that the client names for a call, or else those that it started.
    fn observe_run(&self, context: &Context, draft: &mut CallDraft) -> Result<(), RpcResponse> {
        let named = |key: &str| {
            let text = find(context.message.params(), &["_meta", key])?;
            Some(decode_string(text).unwrap_or_default())
        };
        (draft.run, draft.step) = self.current_run();
        if let Some(run) = named(META_RUN) {
            let run = RunId::parse(&run);
            let run = run.ok_or_else(|| RpcResponse::invalid("this is no id of a run"))?;
            draft.run = Some(run);
        }
        if let Some(step) = named(META_STEP) {
            let step = Step::parse(&step);
            draft.step = Some(step.map_err(|error| RpcResponse::invalid(&error.to_string()))?);
        }
        Ok(())
    }

    /// Holds a call until there is an answer. True if there is one.
    pub(crate) async fn wait_for_operator(
        &self,
        context: &Context,
        call: CallId,
    ) -> Result<bool, EngineError> {
        let is_waiting = |slice| async move {
            let state = self.gateway.host.wait_for_answer(call, &self.owner, slice).await?;
            Ok(state == Some(CallState::Parked))
        };
        self.hold(context, is_waiting).await
    }

    /// Holds a request as long as its client waits, and reports progress. True if nothing waits any
    /// more.
    #[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
    pub(crate) async fn hold<F: Future<Output = Result<bool, EngineError>>>(
        &self,
        context: &Context,
        is_waiting: impl Fn(Duration) -> F,
    ) -> Result<bool, EngineError> {
        let until = Instant::now() + self.gateway.hold(&context.hello.name());
        let token = find(context.message.params(), &["_meta", "progressToken"]);
        // Without progress to report there is nothing to wake up for: many calls may wait.
        let interval = if token.is_some() { limits::PROGRESS_INTERVAL } else { Duration::MAX };
        for step in 1_u32.. {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || context.reply.is_closed() {
                break;
            }
            if let Some(token) = token {
                context.reply.send(waiting_progress(token, step)).await;
            }
            let still_waiting = tokio::select! {
                waiting = is_waiting(left.min(interval)) => waiting?,
                () = context.wait_for_end() => break,
            };
            if !still_waiting {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Steps are tiny, so that the server's own progress, which comes later, is larger.
fn waiting_progress(token: &str, step: u32) -> String {
    let progress = f64::from(step) / 1_000_000.0;
    let params = format!(
        "{{\"progressToken\":{token},\"progress\":{progress},\
         \"message\":\"waiting for the operator's answer\"}}"
    );
    notification("notifications/progress", &params)
}

/// What is meant for us alone does not reach a server.
fn remove_meta(params: &str) -> String {
    let Some(meta) = find(params, &["_meta"]).filter(|meta| meta.contains("countersign/")) else {
        return params.to_owned();
    };
    let own = [META_PARENT, META_RUN, META_STEP];
    let meta = own.iter().fold(meta.to_owned(), |meta, key| remove_member(&meta, key));
    set_member(params, "_meta", &meta)
}

/// Countersign cannot decide, so nothing is carried out.
pub(crate) fn undecided(error: &EngineError) -> RpcResponse {
    RpcResponse::Result(texts::refusal(&format!(
        "Not carried out: Countersign cannot decide now ({error})."
    )))
}
