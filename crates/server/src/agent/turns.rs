//! Turns, plans and changes of topic in a session. From an agent they can only make decisions
//! stricter.

use crate::command_windows::HookSurroundings;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::limits::MAX_PLAN_STEPS;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    EventOrigin, HandOverRequest, HandOverResponse, MoveKind, MoveRequest, MoveResponse,
    PlanRequest, PlanResponse, ProcessStamp, RecordedState, TurnAuthor, TurnRequest, TurnResponse,
};
use countersign_conversation::{Turn, Utterance, is_loosening, parse_utterance};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::request::AnswerFrom;
use countersign_core::model::run::TaskTitle;
use countersign_core::model::turn::Speaker;
use countersign_engine::{ConversationMove, SessionOwner, TurnReporter};
use countersign_host::{AgentError, JoinReach, ProgramProcess};

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
    caller.check_adapter_field("works_in", body.works_in.as_ref())?;
    let scratch: Vec<String> = Vec::from(body.scratch).into_iter().map(String::from).collect();
    caller.check_adapter_field("scratch", scratch.first())?;
    let owner = SessionOwner::new(&body.session, caller.agent);
    let processes = body.processes.as_ref();
    let surroundings = processes.map(|found| daemon.commands.judge(&owner.session, found));
    let surroundings = surroundings.unwrap_or(HookSurroundings::Quiet);
    let origin = match surroundings {
        HookSurroundings::OfCommand => EventOrigin::Elsewhere,
        HookSurroundings::Quiet | HookSurroundings::Busy => body.origin,
    };
    daemon.refuse_forged_event(&owner, origin, "a message of yours").await?;
    let speaker = match (&caller.kind, body.author, surroundings) {
        (CallerKind::Adapter, TurnAuthor::Operator, HookSurroundings::Quiet) => Speaker::Adapter,
        _ => Speaker::Agent,
    };
    let is_held_back = surroundings == HookSurroundings::Busy && is_loosening(body.text.as_str());
    let (project, task, starter) = (body.project, body.task, owner.clone());
    if !scratch.is_empty() {
        let (opener, named) = (owner.clone(), project.clone());
        daemon
            .run(move |engine| engine.open_session_with_scratch(&opener, named.as_ref(), &scratch))
            .await?;
    }
    if let Some(ancestry) = &body.ancestry {
        let reach = match caller.kind {
            CallerKind::Adapter => JoinReach::AnyAgent,
            // An application reports no turns: its routes do not include this one.
            CallerKind::Agent | CallerKind::Application(_) => JoinReach::OwnSessions,
        };
        let above: Vec<_> = ancestry.above.as_slice().iter().map(read_process).collect();
        let processes = (read_process(&ancestry.program), above.as_slice());
        daemon.host.join_program_above(&owner, project.clone(), processes, reach).await?;
    }
    let moved = daemon.host.note_project(&owner, project.clone(), body.works_in).await?;
    let (session, text) = (owner.session.clone(), String::from(body.text));
    let title = find_title(&text);
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
    utterance.lines.splice(0..0, moved);
    if let Some(gesture) = utterance.gesture {
        daemon.host.program_calls().set_gesture(&starter.session, gesture);
    }
    if let Some(workflow) = task {
        daemon.host.ensure_task(&starter, workflow, title).await?;
    }
    Ok(Json(utterance.into()))
}

fn read_process(stamp: &ProcessStamp) -> ProgramProcess {
    ProgramProcess { id: stamp.id.number(), started: stamp.started.number() }
}

/// What a message names the task that begins with it. A sentence about consent names none.
fn find_title(text: &str) -> Option<TaskTitle> {
    match parse_utterance(text) {
        Utterance::Other => TaskTitle::from_message(text),
        Utterance::DryRun
        | Utterance::Stop
        | Utterance::Correction
        | Utterance::Clear
        | Utterance::Revoke(_)
        | Utterance::RevokeAll
        | Utterance::Grant(_)
        | Utterance::Allowlist
        | Utterance::Consent
        | Utterance::Slash(_)
        | Utterance::RunEnd
        | Utterance::Answer(_) => None,
    }
}

pub(super) async fn submit_plan(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<PlanRequest>,
) -> Result<Json<PlanResponse>, ApiError> {
    caller.check_adapter_field("score", body.score.as_ref())?;
    caller.check_adapter_field("accepted_call", body.accepted_call.as_ref())?;
    let mut actions = Vec::from(body.actions);
    actions.extend(daemon.host.list_tool_actions(&Vec::from(body.tools))?);
    actions.truncate(MAX_PLAN_STEPS);
    let words = |line| Vec::from(line).into_iter().map(Into::into).collect();
    let draft = PlanDraft {
        actions,
        commands: Vec::from(body.commands).into_iter().map(words).collect(),
        score: body.score.map_or(0, |score| score.number() as u8),
        turn: 0,
        state: PlanState::Proposed,
    };
    if draft.actions.is_empty() {
        return Err(ApiError::invalid("the plan names no action", "name the action of each step"));
    }
    let owner = SessionOwner::new(&body.session, caller.agent);
    let accepted = body.accepted_call.as_ref().map(|id| id.as_str());
    let lines = daemon.host.submit_plan(owner, draft, accepted).await?;
    Ok(Json(PlanResponse { state: RecordedState::Recorded, lines }))
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
    let lines = daemon.run(move |engine| engine.record_move(&owner, None, change)).await?;
    let lines = lines.ok_or_else(foreign_session)?;
    Ok(Json(MoveResponse { state: RecordedState::Recorded, lines }))
}

pub(super) async fn hand_over(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<HandOverRequest>,
) -> Result<Json<HandOverResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    // Only an adapter clears a session, and what it cleared ends as an adapter's.
    if caller.kind != CallerKind::Adapter && body.from.is_none() {
        let remedy = "name the earlier session as `from`";
        return Err(ApiError::invalid("the hand-over names no earlier session", remedy));
    }
    let from = body.from.map(|from| caller.session(&from));
    let owner = SessionOwner::new(&body.to, caller.agent);
    let questions = daemon.host.hand_over(from, owner, body.project).await?;
    Ok(Json(HandOverResponse { questions }))
}

fn foreign_session() -> ApiError {
    AgentError::ForeignSession.into()
}
