//! Decides a call.

use super::applications::{place_call, start_application_call};
use super::limit_wait;
use crate::Daemon;
use crate::command_windows::read_boot_millis;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::Caller;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    CheckRequest, CheckResponse, CheckStatus, Observation, ProgramCall, PromptUse, Sighting,
    ToolDefinition,
};
use countersign_core::model::call::{self, CallDraft, Claims, ObservedFacts};
use countersign_core::model::words::Undo;
use countersign_engine::SessionOwner;
use countersign_host::describe_check;
use std::time::Duration;

pub(super) async fn check(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<Box<CheckRequest>>,
) -> Result<Json<CheckResponse>, ApiError> {
    if body.project.is_some() {
        Box::pin(daemon.check_project(&caller, peer, body.project.as_ref())).await?;
    }
    let wait = limit_wait(body.wait_ms);
    let program_call = body.observed.as_ref().and_then(|observed| observed.program_call.clone());
    let context = body.context.clone();
    let mut draft = build_draft(&daemon, &caller, *body)?;
    place_call(&daemon, &caller, &mut draft, context).await?;
    if let Some(named) = program_call {
        return Ok(Json(Box::pin(check_program_call(&daemon, draft, named, wait)).await?));
    }
    let owner = caller.kind.rights().map(|_| owner_of(&draft));
    let mut response = daemon.host.check_and_wait(draft, wait, describe_check).await?;
    if let Some(owner) = owner {
        start_application_call(&daemon, &caller, peer, owner, &mut response)?;
    }
    Ok(Json(response))
}

fn owner_of(draft: &CallDraft) -> SessionOwner {
    SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() }
}

/// Remembers from when on a command may run. In the program's own prompt it is answered without us.
async fn check_program_call(
    daemon: &Daemon,
    draft: CallDraft,
    named: ProgramCall,
    wait: Duration,
) -> Result<CheckResponse, ApiError> {
    let runs_command = RUN_COMMANDS.iter().any(|key| draft.args.get(key).is_some());
    let (session, now) = (draft.session.clone(), read_boot_millis());
    let (sighting, prompt) = (named.sighting, named.prompt);
    let response = daemon.host.check_program_call(draft, named, wait).await?;
    if let (true, Sighting::First, Some(call)) = (runs_command, sighting, response.operation_id) {
        match (response.status, prompt) {
            (CheckStatus::Allowed, _) | (CheckStatus::Pending, PromptUse::Shown) => {
                daemon.commands.start(&session, call, now);
            }
            (CheckStatus::Pending, PromptUse::Absent) => daemon.commands.wait(&session, call),
            (CheckStatus::Denied | CheckStatus::AlreadyDone, _) => {}
        }
    }
    Ok(response)
}

/// The arguments of tools that run a command line.
const RUN_COMMANDS: [&str; 2] = ["command", "cmd"];

/// Builds the draft of a call from the fields that the caller may send.
fn build_draft(
    daemon: &Daemon,
    caller: &Caller,
    body: CheckRequest,
) -> Result<CallDraft, ApiError> {
    caller.check_adapter_field("observed", body.observed.as_ref())?;
    let owner = SessionOwner::new(&body.session, caller.agent.clone());
    let mut draft = daemon.host.draft_call(&owner, body.actions.into(), body.tool, body.args)?;
    draft.project = body.project;
    draft.declares = body.declares.into();
    draft.target = body.target.into();
    draft.cwd = body.cwd.map(String::from);
    let observed = body.observed.as_ref();
    let scratch = observed.map_or_else(Vec::new, |observed| Vec::from(observed.scratch.clone()));
    draft.scratch = scratch.into_iter().map(String::from).collect();
    if let Some(line) = &body.command {
        daemon.host.add_command_line(&mut draft, line.as_str(), caller.kind.principal())?;
    }
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
    draft.observed = body.observed.map_or_else(ObservedFacts::nothing, convert_observation);
    draft.parking = body.park.into();
    draft.narrowing = body.narrowing;
    Ok(draft)
}

fn convert_observation(observation: Observation) -> ObservedFacts {
    let nothing = ObservedFacts::nothing();
    ObservedFacts {
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
