//! Deciding a call.

use crate::Daemon;
use crate::api::{By, Shared};
use crate::body::Body;
use crate::convert::check_response;
use crate::fault::Fault;
use crate::peers::Caller;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{CheckRequest, CheckResponse, Observation as Seen, ToolDefinition};
use countersign_core::model::call::{self, CallDraft, Claims, Observed};
use countersign_core::model::graph::unmapped_tool_action;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::words::Undo;
use std::time::Duration;

/// The longest that one request is held open for an answer.
pub(super) const WAIT: Duration = Duration::from_secs(300);

pub(super) async fn check(
    State(daemon): Shared,
    Extension(caller): By,
    Body(asked): Body<Box<CheckRequest>>,
) -> Result<Json<CheckResponse>, Fault> {
    let wait = asked.wait_ms.duration().min(WAIT);
    let draft = draft(&daemon, &caller, *asked)?;
    let response = daemon.host.check_and_wait(draft, wait, check_response).await?;
    Ok(Json(response))
}

/// What came in, as far as whoever sent it may say it.
fn draft(daemon: &Daemon, caller: &Caller, asked: CheckRequest) -> Result<CallDraft, Fault> {
    caller.observes("project", asked.project.as_ref())?;
    caller.observes("observed", asked.observed.as_ref())?;
    let mut actions = Vec::from(asked.actions);
    if let (true, Some(tool)) = (actions.is_empty(), &asked.tool) {
        actions.extend(tool_actions(daemon, tool)?);
    }
    let first = actions.first().cloned().ok_or_else(|| {
        Fault::invalid("the call names neither an action nor a tool", "name one of them")
    })?;
    let mut draft = CallDraft::plain(caller.agent.clone(), asked.session, first);
    draft.actions = actions;
    draft.project = asked.project;
    draft.declares = asked.declares.into();
    draft.tool = asked.tool;
    draft.args = asked.args;
    draft.target = asked.target.into();
    draft.cwd = asked.cwd.map(String::from);
    let cwd = draft.cwd.as_deref();
    let analysed = |line| countersign_commands::analyse(line, cwd);
    draft.command = asked.command.as_ref().map(|line| analysed(line.as_str()));
    draft.run = asked.run;
    draft.step = asked.step;
    draft.claims = Claims {
        categories: asked.categories.into(),
        risk: asked.risk,
        undo: asked.irreversible.then_some(Undo::Irreversible),
        confidence: asked.confidence.number(),
        reason: asked.reason.into(),
        fallback: asked.fallback.into(),
    };
    draft.observed = asked.observed.map_or_else(Observed::nothing, observed);
    draft.parking = daemon.parking(asked.park);
    Ok(draft)
}

fn observed(seen: Seen) -> Observed {
    let nothing = Observed::nothing();
    Observed {
        categories: seen.categories.into(),
        parent: seen.parent,
        callers: Vec::from(seen.callers).into_iter().map(Into::into).collect(),
        initiator: seen.initiator.unwrap_or(nothing.initiator),
        gesture: seen.gesture,
        definition: match seen.definition {
            ToolDefinition::AsPinned => call::Definition::AsPinned,
            ToolDefinition::Changed => call::Definition::Changed,
        },
        ..nothing
    }
}

fn tool_actions(daemon: &Daemon, tool: &Tool) -> Result<Vec<Action>, Fault> {
    let actions = match daemon.graph()? {
        Some(graph) => graph.actions_for_tool(tool),
        None => unmapped_tool_action(tool).map(|action| vec![action]),
    };
    actions.map_err(|error| Fault::invalid(error, "name the actions that the tool stands for"))
}
