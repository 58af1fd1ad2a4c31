//! Decides a call.

use super::programs::check_program_call;
use crate::Daemon;
use crate::convert::check_response;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::limits;
use crate::peers::{Caller, CallerKind};
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{CheckRequest, CheckResponse, Observation, ToolDefinition};
use countersign_core::model::call::{self, CallDraft, Claims, Observed};
use countersign_core::model::graph::unmapped_tool_action;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Undo;
use serde_json::Value;

pub(super) async fn check(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<Box<CheckRequest>>,
) -> Result<Json<CheckResponse>, ApiError> {
    if body.project.is_some() {
        Box::pin(daemon.check_project(&caller, peer, body.project.as_ref())).await?;
    }
    let wait = body.wait_ms.duration().min(limits::MAX_WAIT);
    let program_call = body.observed.as_ref().and_then(|observed| observed.program_call.clone());
    let draft = build_draft(&daemon, &caller, *body)?;
    if let Some(named) = program_call {
        return Ok(Json(Box::pin(check_program_call(&daemon, draft, named, wait)).await?));
    }
    let response = daemon.host.check_and_wait(draft, wait, check_response).await?;
    Ok(Json(response))
}

/// Builds the draft of a call from the fields that the caller may send.
fn build_draft(
    daemon: &Daemon,
    caller: &Caller,
    body: CheckRequest,
) -> Result<CallDraft, ApiError> {
    caller.check_adapter_field("observed", body.observed.as_ref())?;
    let mut actions = Vec::from(body.actions);
    if let (true, Some(tool)) = (actions.is_empty(), &body.tool) {
        actions.extend(tool_actions(daemon, tool, &body.args)?);
    }
    let first = actions.first().cloned().ok_or_else(|| {
        ApiError::invalid("the call names neither an action nor a tool", "name one of them")
    })?;
    let mut draft = CallDraft::plain(caller.agent.clone(), caller.session(&body.session), first);
    draft.actions = actions;
    draft.project = body.project;
    draft.declares = body.declares.into();
    draft.tool = body.tool;
    draft.args = body.args;
    draft.target = body.target.into();
    draft.cwd = body.cwd.map(String::from);
    if body.command.is_some() && draft.tool.is_none() && caller.kind == CallerKind::Agent {
        add_line_actions(daemon, &mut draft)?;
    }
    let cwd = draft.cwd.as_deref();
    let analyse = |line| countersign_commands::analyse(line, cwd);
    draft.command = body.command.as_ref().map(|line| analyse(line.as_str()));
    draft.run = body.run;
    draft.step = body.step;
    draft.claims = Claims {
        categories: body.categories.into(),
        risk: body.risk,
        undo: body.irreversible.then_some(Undo::Irreversible),
        confidence: body.confidence.number(),
        reason: body.reason.into(),
        fallback: body.fallback.into(),
    };
    draft.observed = body.observed.map_or_else(Observed::nothing, convert_observation);
    draft.parking = daemon.parking(body.park);
    Ok(draft)
}

/// An agent that names an action and a command line is believed about neither: what runs a command
/// line in this graph is added, and classes replace it as they would for a tool.
fn add_line_actions(daemon: &Daemon, draft: &mut CallDraft) -> Result<(), ApiError> {
    let Some(graph) = daemon.graph()? else { return Ok(()) };
    let running = graph.tools.iter().filter(|mapping| mapping.command.is_some());
    for action in running.flat_map(|mapping| &mapping.actions) {
        if !draft.actions.contains(action) {
            draft.actions.push(action.clone());
        }
    }
    Ok(())
}

fn convert_observation(observation: Observation) -> Observed {
    let nothing = Observed::nothing();
    Observed {
        categories: observation.categories.into(),
        parent: observation.parent,
        callers: Vec::from(observation.callers).into_iter().map(Into::into).collect(),
        initiator: observation.initiator.unwrap_or(nothing.initiator),
        gesture: observation.gesture,
        definition: match observation.definition {
            ToolDefinition::AsPinned => call::Definition::AsPinned,
            ToolDefinition::Changed => call::Definition::Changed(call::DefinitionChange::default()),
        },
        ..nothing
    }
}

fn tool_actions(daemon: &Daemon, tool: &Tool, args: &Value) -> Result<Vec<Action>, ApiError> {
    let actions = match daemon.graph()? {
        Some(graph) => graph.actions_for_tool(tool, args),
        None => unmapped_tool_action(tool).map(|action| vec![action]),
    };
    actions.map_err(|error| ApiError::invalid(error, "name the actions of the tool"))
}
