//! The agents' plane: check, wait, ask ahead, report. Nothing here approves.

use crate::Daemon;
use crate::body::Body;
use crate::fault::Fault;
use crate::peers::Caller;
use crate::wire::{
    Again, AskAhead, Check, Decided, Effect, InSession, Outcome, Park, StartRun, Status,
};
use axum::extract::{Path, Query, State};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use countersign_core::ahead::AheadDraft;
use countersign_core::call::{Claims, Draft, Observed, Parking};
use countersign_core::explain;
use countersign_core::ids::{CallId, RunId};
use countersign_core::names::{Action, SessionName};
use countersign_core::request::{Ahead, Attendance};
use countersign_core::start::StartDraft;
use countersign_core::state::CallState;
use countersign_core::words::{RunEnding, Undo};
use countersign_engine::{Checked, Reported, Taken};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

type Shared = State<Arc<Daemon>>;
type From = Extension<Caller>;

/// The longest that one request is held open for an answer.
const WAIT: Duration = Duration::from_secs(300);

pub(crate) fn routes() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/v1/check", post(check))
        .route("/v1/ask-ahead", post(ask_ahead))
        .route("/v1/operations/{id}", get(status))
        .route("/v1/operations/{id}/wait", post(wait))
        .route("/v1/operations/{id}/retry", post(retry))
        .route("/v1/operations/{id}/cancel", post(cancel))
        .route("/v1/operations/{id}/outcome", post(outcome))
        .route("/v1/runs", post(start))
        .route("/v1/runs/{id}/end", post(end_run))
        .route("/v1/runs/{id}/reattach", post(reattach))
}

async fn check(
    State(daemon): Shared,
    Extension(caller): From,
    Body(asked): Body<Check>,
) -> Result<Json<Decided>, Fault> {
    let (session, wait) = (asked.session.clone(), Duration::from_millis(asked.wait_ms));
    let draft = draft(&daemon, &caller, asked)?;
    let checked = daemon.run(move |engine| engine.check(&draft)).await?;
    let first = decided(&checked);
    match checked {
        Checked::Pending { operation, .. } if !wait.is_zero() => {
            let settled = daemon.waited(operation, &session, &caller, wait.min(WAIT)).await?;
            match settled {
                Some(CallState::Parked) | None => Ok(Json(first)),
                Some(_) => redeemed(&daemon, &caller, operation, session).await,
            }
        }
        _ => Ok(Json(first)),
    }
}

/// What came in, as far as an agent may say it: what our side observes is not among it.
fn draft(daemon: &Daemon, caller: &Caller, asked: Check) -> Result<Draft, Fault> {
    let mut actions = asked.actions;
    if let (true, Some(tool)) = (actions.is_empty(), &asked.tool) {
        actions.extend(daemon.actions_of(tool)?);
    }
    let first = actions.first().cloned().ok_or_else(|| {
        Fault::invalid("the call names neither an action nor a tool", "name one of them")
    })?;
    let mut draft = Draft::plain(caller.agent.clone(), asked.session, first);
    draft.actions = actions;
    draft.project = asked.project;
    draft.declares = asked.declares;
    draft.tool = asked.tool;
    draft.args = asked.args;
    draft.target = asked.target.map_or_else(Vec::new, Into::into);
    draft.command =
        asked.command.map(|line| countersign_commands::analyse(&line, asked.cwd.as_deref()));
    draft.cwd = asked.cwd;
    draft.run = asked.run.as_deref().map(run_id).transpose()?;
    draft.step = asked.step;
    draft.claims = Claims {
        categories: asked.categories,
        risk: asked.risk,
        undo: asked.irreversible.then_some(Undo::Irreversible),
        confidence: asked.confidence,
        reason: asked.reason,
        fallback: asked.fallback,
    };
    draft.observed = Observed::nothing();
    draft.parking = daemon.parking(asked.park);
    Ok(draft)
}

fn decided(checked: &Checked) -> Decided {
    let decision = checked.decision();
    Decided {
        status: match checked {
            Checked::Permit { .. } => Status::Allowed,
            Checked::Kept { .. } => Status::AlreadyDone,
            Checked::Pending { .. } => Status::Pending,
            Checked::Denied { .. } => Status::Denied,
        },
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(decision),
        operation_id: checked.call().map(|id| id.to_string()),
        note: decision.note.clone(),
    }
}

async fn redeemed(
    daemon: &Arc<Daemon>,
    caller: &Caller,
    operation: CallId,
    session: SessionName,
) -> Result<Json<Decided>, Fault> {
    let agent = caller.agent.clone();
    let checked = daemon.run(move |engine| engine.retry(operation, &session, &agent)).await?;
    Ok(Json(decided(&checked)))
}

async fn retry(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(again): Body<Again>,
) -> Result<Json<Decided>, Fault> {
    redeemed(&daemon, &caller, call_id(&id)?, again.session).await
}

/// Waits for an answer, and says what became of the call. It redeems nothing.
async fn wait(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(again): Body<Again>,
) -> Result<Json<Value>, Fault> {
    let (operation, limit) = (call_id(&id)?, Duration::from_millis(again.wait_ms).min(WAIT));
    let found = daemon.waited(operation, &again.session, &caller, limit).await?;
    Ok(Json(told(operation, found)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    session: SessionName,
}

async fn status(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    query: Result<Query<Of>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, Fault> {
    let Query(Of { session }) = query.map_err(|error| Fault::unreadable(error.body_text()))?;
    let operation = call_id(&id)?;
    let agent = caller.agent.clone();
    let found = daemon.run(move |engine| engine.operation(operation, &session, &agent)).await?;
    Ok(Json(told(operation, found)?))
}

fn told(operation: CallId, found: Option<CallState>) -> Result<Value, Fault> {
    let state = found.ok_or_else(|| Fault::unknown("operation"))?;
    Ok(json!({"operation_id": operation.to_string(), "state": word(state)}))
}

const fn word(state: CallState) -> &'static str {
    match state {
        CallState::Denied => "denied",
        CallState::Parked => "pending",
        CallState::Approved => "approved",
        CallState::Executing => "executing",
        CallState::Ended(effect) => effect.word(),
        CallState::Declined => "declined",
        CallState::Expired => "expired",
        CallState::Stopped => "stopped",
    }
}

async fn cancel(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(InSession { session }): Body<InSession>,
) -> Result<Json<Value>, Fault> {
    let (operation, agent) = (call_id(&id)?, caller.agent.clone());
    let taken = daemon.run(move |engine| engine.cancel(operation, (&session, &agent))).await?;
    noted(operation, taken, "nothing is asked about it any more")
}

async fn outcome(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(outcome): Body<Outcome>,
) -> Result<Json<Value>, Fault> {
    let (operation, agent) = (call_id(&id)?, caller.agent.clone());
    let reported = match outcome.effect {
        Effect::Done => Reported::Done,
        Effect::Failed => Reported::Failed,
        Effect::Unknown => Reported::Unknown,
    };
    let session = outcome.session;
    let taken =
        daemon.run(move |engine| engine.report_on(operation, (&session, &agent), reported)).await?;
    noted(operation, taken, "it is not running")
}

fn noted(operation: CallId, taken: Taken, late: &str) -> Result<Json<Value>, Fault> {
    match taken {
        Taken::Noted => Ok(Json(json!({"operation_id": operation.to_string(), "state": "noted"}))),
        Taken::TooLate(state) => {
            let message = format!("{late}: its state is {}", word(state));
            Err(Fault::conflict(message, "there is nothing to do"))
        }
        Taken::Unknown => Err(Fault::unknown("operation")),
    }
}

async fn ask_ahead(
    State(daemon): Shared,
    Extension(caller): From,
    Body(asked): Body<AskAhead>,
) -> Result<Json<Value>, Fault> {
    let draft = AheadDraft {
        session: asked.session,
        agent: caller.agent.clone(),
        project: asked.project,
        ahead: Ahead {
            text: asked.text,
            category: asked.category,
            scope: asked.scope,
            reason: asked.reason,
            fallback: asked.fallback,
        },
        parking: daemon.parking(asked.park),
    };
    let (decision, request) = daemon.run(move |engine| engine.ask_ahead(&draft)).await?;
    Ok(Json(json!({
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": explain::sentence(&decision),
        "request_id": request.map(|id| id.to_string()),
    })))
}

async fn start(
    State(daemon): Shared,
    Extension(caller): From,
    Body(asked): Body<StartRun>,
) -> Result<Json<Value>, Fault> {
    let draft = StartDraft {
        session: asked.session,
        agent: caller.agent.clone(),
        project: asked.project,
        workflow: asked.workflow,
        attendance: Attendance::Attended,
        gesture: None,
        parking: daemon.parking(asked.park),
    };
    let (run, decision) = daemon.run(move |engine| engine.start(&draft)).await?;
    Ok(Json(json!({
        "run_id": run.to_string(),
        "outcome": decision.outcome,
        "reason": decision.reason,
        "sentence": explain::sentence(&decision),
    })))
}

async fn end_run(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(InSession { session }): Body<InSession>,
) -> Result<Json<Value>, Fault> {
    let (run, agent) = (run_id(&id)?, caller.agent.clone());
    let ended = daemon
        .run(move |engine| engine.end_own_run(run, (&session, &agent), RunEnding::Completed))
        .await?;
    match ended {
        true => Ok(Json(json!({"run_id": run.to_string(), "state": "ended"}))),
        false => Err(Fault::unknown("run")),
    }
}

async fn reattach(
    State(daemon): Shared,
    Extension(caller): From,
    Path(id): Path<String>,
    Body(InSession { session }): Body<InSession>,
) -> Result<Json<Value>, Fault> {
    let (run, agent) = (run_id(&id)?, caller.agent.clone());
    let taken_up = daemon.run(move |engine| engine.reattach(run, &session, &agent)).await?;
    match taken_up {
        true => Ok(Json(json!({"run_id": run.to_string(), "state": "live"}))),
        false => Err(Fault::conflict("this run cannot be taken up again", "start a new one")),
    }
}

pub(crate) fn call_id(text: &str) -> Result<CallId, Fault> {
    CallId::parse(text).ok_or_else(|| Fault::unknown("operation"))
}

fn run_id(text: &str) -> Result<RunId, Fault> {
    RunId::parse(text).ok_or_else(|| Fault::unknown("run"))
}

impl Daemon {
    pub(crate) fn parking(&self, park: Park) -> Parking {
        match (self.headless(), park) {
            (false, Park::Allowed) => Parking::Allowed,
            (true, _) | (_, Park::Refused) => Parking::Refused,
        }
    }

    /// What a tool does by the graph; a tool that no pattern names is an action of its own.
    fn actions_of(&self, tool: &countersign_core::names::Tool) -> Result<Vec<Action>, Fault> {
        let graph = self.graph()?;
        let mapped = graph.as_ref().and_then(|graph| graph.tool(tool.as_str()));
        if let Some(mapping) = mapped {
            return Ok(mapping.actions.clone());
        }
        let name = match tool.as_str().strip_prefix("mcp__") {
            Some(rest) => format!("mcp.{}", rest.replacen("__", ".", 1)),
            None => format!("tool.{tool}"),
        };
        let action = Action::parse(&name);
        action
            .map(|action| vec![action])
            .map_err(|error| Fault::invalid(error, "name the actions that the tool stands for"))
    }
}
