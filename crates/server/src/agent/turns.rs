//! Turns, plans and changes of topic in a session. From an agent they can only make decisions
//! stricter.

use crate::command_windows::HookSurroundings;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    EventOrigin, HandOverRequest, HandOverResponse, MoveKind, MoveRequest, MoveResponse,
    PlanRequest, RecordedResponse, RecordedState, TurnAuthor, TurnRequest, TurnResponse,
};
use countersign_conversation::{Turn, is_loosening};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::request::AnswerFrom;
use countersign_core::model::turn::Speaker;
use countersign_engine::{ConversationMove, SessionOwner, TurnReporter};
use countersign_host::AgentError;

/// Why a message of the operator did not count in full.
const BUSY: &str = "A command of this session runs or has left a process behind, so nothing was \
                    approved by this message: answer with `countersign watch`, or end that process";

pub(super) async fn report_turn(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<TurnRequest>,
) -> Result<Json<TurnResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    caller.check_adapter_field("task", body.task.as_ref())?;
    let owner = SessionOwner::new(&body.session, caller.agent);
    let processes = body.processes.as_ref();
    let surroundings = processes.map(|found| daemon.commands.judge(&owner.session, found));
    let surroundings = surroundings.unwrap_or(HookSurroundings::Quiet);
    let origin = match surroundings {
        HookSurroundings::OfCommand => EventOrigin::Elsewhere,
        HookSurroundings::Quiet | HookSurroundings::Busy => body.origin,
    };
    daemon.refuse_forged_event(&owner, origin, "a message of yours").await?;
    let speaker = match (caller.kind, body.author, surroundings) {
        (CallerKind::Adapter, TurnAuthor::Operator, HookSurroundings::Quiet) => Speaker::Adapter,
        _ => Speaker::Agent,
    };
    let is_held_back = surroundings == HookSurroundings::Busy && is_loosening(body.text.as_str());
    let (project, task, starter) = (body.project, body.task, owner.clone());
    let (session, text) = (owner.session.clone(), body.text.into());
    let turn = Turn { session, speaker, text, from: AnswerFrom::Conversation };
    let utterance = daemon
        .run(move |engine| {
            let reporter = TurnReporter::Agent { owner: &owner, project: project.as_ref() };
            engine.process_turn(&turn, reporter)
        })
        .await?;
    let mut utterance = utterance.ok_or_else(foreign_session)?;
    if is_held_back {
        utterance.lines.push(BUSY.to_owned());
    }
    if let Some(gesture) = utterance.gesture {
        daemon.host.program_calls().set_gesture(&starter.session, gesture);
    }
    if let Some(workflow) = task {
        daemon.host.ensure_task(&starter, workflow).await?;
    }
    Ok(Json(utterance.into()))
}

pub(super) async fn submit_plan(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<PlanRequest>,
) -> Result<Json<RecordedResponse>, ApiError> {
    caller.check_adapter_field("score", body.score.as_ref())?;
    let words = |line| Vec::from(line).into_iter().map(Into::into).collect();
    let draft = PlanDraft {
        actions: body.actions.into(),
        commands: Vec::from(body.commands).into_iter().map(words).collect(),
        score: body.score.map_or(0, |score| score.number() as u8),
        turn: 0,
        state: PlanState::Proposed,
    };
    if draft.actions.is_empty() {
        return Err(ApiError::invalid("the plan names no action", "name the action of each step"));
    }
    let owner = SessionOwner::new(&body.session, caller.agent);
    let planned = daemon.run(move |engine| engine.propose_plan(&owner, &draft)).await?;
    planned.ok_or_else(foreign_session)?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn report_move(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<MoveRequest>,
) -> Result<Json<MoveResponse>, ApiError> {
    let change = match body.kind {
        MoveKind::Topic => ConversationMove::Topic,
        MoveKind::Context => ConversationMove::Context,
    };
    let owner = SessionOwner::new(&body.session, caller.agent);
    let lines = daemon.run(move |engine| engine.record_move(&owner, change)).await?;
    let lines = lines.ok_or_else(foreign_session)?;
    Ok(Json(MoveResponse { state: RecordedState::Recorded, lines }))
}

pub(super) async fn hand_over(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<HandOverRequest>,
) -> Result<Json<HandOverResponse>, ApiError> {
    let from = caller.session(&body.from);
    let owner = SessionOwner::new(&body.to, caller.agent);
    let questions = daemon.run(move |engine| engine.hand_over(&from, &owner)).await?;
    let questions = questions.ok_or_else(|| ApiError::unknown("session"))?;
    Ok(Json(HandOverResponse { questions }))
}

fn foreign_session() -> ApiError {
    AgentError::ForeignSession.into()
}
