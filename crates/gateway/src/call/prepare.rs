//! A call of a server's tool, ready to be decided.

use super::kept_responses::ResponseStorage;
use super::texts::refusal;
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::pins::DefinedTool;
use crate::upstream::{ListedTool, OutputSchema, ServerSlot, is_tool_name};
use crate::wire::{
    META_CAPABILITIES, RpcResponse, TASKS, decode_string, encode_string, find, remove_member,
    remove_tasks, set_at, set_member,
};
use countersign_core::encoding::json;
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{StepName, Tool};
use countersign_host::ParentState;
use serde_json::Value;
use std::sync::Arc;

/// The member of `_meta` that proves inside which call another one is made.
pub(super) const META_PARENT: &str = "countersign/parentToken";
/// Members of `_meta` with which a client names the run and the step of a call.
const META_RUN: &str = "countersign/run";
const META_STEP: &str = "countersign/step";

pub(crate) struct ToolCall {
    pub(crate) slot: Arc<ServerSlot>,
    /// The tool's name at its server.
    pub(crate) tool: String,
    /// The params as they will be sent: with the defaults that the arguments lacked.
    pub(crate) params: String,
    pub(crate) definition: Option<ListedTool>,
    args: Value,
    pub(crate) keeping: ResponseStorage,
}

impl ToolCall {
    pub(crate) fn output(&self) -> OutputSchema {
        self.definition.as_ref().map_or(OutputSchema::None, |definition| definition.output)
    }

    /// A call that was decided before, and whose client may be another one by now.
    pub(crate) fn from_record(slot: Arc<ServerSlot>, tool: String, params: String) -> Self {
        let definition = slot.find_tool(&tool);
        let (args, keeping) = (Value::Null, ResponseStorage::InStore);
        Self { slot, tool, params, definition, args, keeping }
    }

    /// The name under which the graph knows the tool.
    pub(crate) fn full_name(&self) -> String {
        format!("mcp__{}__{}", self.slot.spec.name, self.tool)
    }

    /// The tool with the definition that the call was prepared with.
    pub(crate) fn defined_tool(&self) -> Option<DefinedTool<'_>> {
        let (server, name) = (self.slot.spec.name.as_str(), self.tool.as_str());
        self.definition.as_ref().map(|definition| DefinedTool { server, name, definition })
    }
}

impl ToolCalls {
    /// Finds server and definition of a tool, and reads the arguments.
    pub(crate) async fn prepare_call(
        &self,
        request: &ClientRequest,
        name: &str,
    ) -> Result<ToolCall, RpcResponse> {
        let params = request.message.params();
        let call = self.prepare_named(request, name, params).await?;
        if let Some(definition) = &call.definition {
            let arguments = find(params, &["arguments"]).unwrap_or("{}");
            let checked = definition.argument_headers.check(&request.headers, arguments);
            checked.map_err(|why| RpcResponse::error(-32020, &why))?;
        }
        Ok(call)
    }

    /// The same for a call with other params than the request's.
    pub(crate) async fn prepare_named(
        &self,
        request: &ClientRequest,
        name: &str,
        params: &str,
    ) -> Result<ToolCall, RpcResponse> {
        let (slot, tool) = self
            .servers
            .find_tool_server(name)
            .ok_or_else(|| RpcResponse::invalid(&format!("the tool `{name}` is not known")))?;
        if !is_tool_name(&tool) {
            return Err(RpcResponse::invalid("the name of the tool has unusual characters"));
        }
        let definition = self.find_definition(request, &slot, &tool).await?;
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
        let mut sent = self.remove_task_extension(remove_meta(params));
        if filled != arguments {
            sent = set_member(&sent, "arguments", filled);
        }
        if tool != name {
            sent = set_member(&sent, "name", &encode_string(&tool));
        }
        let keeping = ResponseStorage::InMemory;
        Ok(ToolCall { slot, tool, params: sent, definition, args, keeping })
    }

    /// How the server defines a tool. Of a server that is down, how it defined it before: then the
    /// call is decided, and carried out once the server is back.
    async fn find_definition(
        &self,
        request: &ClientRequest,
        slot: &Arc<ServerSlot>,
        tool: &str,
    ) -> Result<Option<ListedTool>, RpcResponse> {
        let why = match self.servers.connect(slot, &request.hello).await {
            Ok(upstream) => {
                slot.ensure_tools(&upstream, &request.hello).await;
                return Ok(slot.find_tool(tool));
            }
            Err(why) => why,
        };
        let pinned = || self.shared.pins.find_definition(slot.spec.name.as_str(), tool);
        let known = match self.servers.is_approved(slot).await {
            true => slot.find_tool(tool).or_else(pinned),
            false => None,
        };
        known.map(Some).ok_or_else(|| RpcResponse::Result(refusal(&why)))
    }

    /// Several servers cannot be asked for their own tasks: their ids do not tell whose they are.
    fn remove_task_extension(&self, params: String) -> String {
        let path = ["_meta", META_CAPABILITIES];
        match find(&params, &path).filter(|_| self.servers.single().is_none()) {
            Some(capabilities) if capabilities.contains(TASKS) => {
                set_at(&params, &path, &remove_tasks(capabilities))
            }
            Some(_) | None => params,
        }
    }

    pub(crate) async fn draft_call(
        &self,
        request: &ClientRequest,
        call: &ToolCall,
    ) -> Result<CallDraft, RpcResponse> {
        let invalid = |error: &dyn std::fmt::Display| RpcResponse::invalid(&error.to_string());
        let tool = Tool::parse(&call.full_name()).map_err(|error| invalid(&error))?;
        let host = &self.shared.host;
        let mut draft = host.draft_call(&self.owner, Vec::new(), Some(tool), call.args.clone())?;
        draft.project.clone_from(&self.project);
        draft.cwd = call.slot.folder();
        draft.claims.risk = call.definition.as_ref().and_then(|definition| definition.risk);
        draft.observed.definition = self.shared.pins.compare_definition(call.defined_tool());
        draft.observed.definition_hash = call.definition.as_ref().map(ListedTool::fingerprint);
        self.observe_parent(request, &mut draft).await?;
        self.observe_run(request, &mut draft)?;
        Ok(draft)
    }

    /// A token proves the parent. A wrong one is refused, so that nothing counts as nested that is
    /// not.
    async fn observe_parent(
        &self,
        request: &ClientRequest,
        draft: &mut CallDraft,
    ) -> Result<(), RpcResponse> {
        let Some(token) = find(request.message.params(), &["_meta", META_PARENT]) else {
            return Ok(());
        };
        let not_valid = || RpcResponse::invalid("the parent's token is not valid");
        let token = decode_string(token).ok_or_else(not_valid)?;
        let parent = self.shared.seal.read_parent_token(&token).ok_or_else(not_valid)?;
        match self.shared.host.observe_parent(draft, &self.owner, parent).await? {
            ParentState::Executing => Ok(()),
            ParentState::Over => Err(not_valid()),
            ParentState::Foreign => self.join_caller(parent).await,
        }
    }

    /// A server that is an agent itself works in a session of its own. The token proves in whose
    /// call, so a stop there reaches it; its calls are nested in nothing.
    async fn join_caller(&self, parent: CallId) -> Result<(), RpcResponse> {
        let (owner, project) = (self.owner.clone(), self.project.clone());
        match self.shared.host.join_executing_call(owner, project, parent).await? {
            true => Ok(()),
            false => Err(RpcResponse::invalid("the parent's token is not valid")),
        }
    }

    /// The run and step that the client names for a call, or else those that it started.
    fn observe_run(
        &self,
        request: &ClientRequest,
        draft: &mut CallDraft,
    ) -> Result<(), RpcResponse> {
        let named = |key: &str| {
            let text = find(request.message.params(), &["_meta", key])?;
            Some(decode_string(text).unwrap_or_default())
        };
        (draft.run, draft.step) = self.current_run();
        if let Some(run) = named(META_RUN) {
            let run = RunId::parse(&run);
            let run = run.ok_or_else(|| RpcResponse::invalid("this is no id of a run"))?;
            draft.run = Some(run);
        }
        if let Some(step) = named(META_STEP) {
            let step = StepName::parse(&step);
            draft.step = Some(step.map_err(|error| RpcResponse::invalid(&error.to_string()))?);
        }
        Ok(())
    }
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
