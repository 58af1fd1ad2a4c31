//! Turns, plans and changes of topic in a session. From an agent they can only make decisions
//! stricter.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    HandOverRequest, HandOverResponse, MoveKind, MoveRequest, MoveResponse, PlanRequest,
    RecordedResponse, RecordedState, TurnAuthor, TurnRequest, TurnResponse,
};
use countersign_core::model::call::Parking;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::names::Workflow;
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::request::{AnswerFrom, Attendance};
use countersign_core::model::run::RunState;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::Outcome;
use countersign_core::steps::conversation::Turn;
use countersign_engine::{MovedOn, SessionOwner, TurnReporter};

pub(super) async fn report_turn(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<TurnRequest>,
) -> Result<Json<TurnResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    caller.check_adapter_field("task", body.task.as_ref())?;
    let speaker = match (caller.kind, body.author) {
        (CallerKind::Agent, _) | (_, TurnAuthor::Unknown) => Speaker::Agent,
        (CallerKind::Adapter, TurnAuthor::Operator) => Speaker::Adapter,
    };
    let owner = SessionOwner::new(&body.session, caller.agent);
    let (project, task, starter) = (body.project, body.task, owner.clone());
    let (session, text) = (owner.session.clone(), body.text.into());
    let turn = Turn { session, speaker, text, from: AnswerFrom::Conversation };
    let utterance = daemon
        .run(move |engine| {
            let reporter = TurnReporter::Agent { owner: &owner, project: project.as_ref() };
            engine.process_turn(&turn, reporter)
        })
        .await?;
    let utterance = utterance.ok_or_else(foreign_session)?;
    if let Some(gesture) = utterance.gesture {
        daemon.host.program_calls().set_gesture(&starter.session, gesture);
    }
    if let Some(workflow) = task {
        daemon.ensure_task(&starter, workflow).await?;
    }
    Ok(Json(utterance.into()))
}

impl Daemon {
    /// Starts the run that stands for a session's task, unless one is live. What would ask is not
    /// started: a task is a frame for consent and needs none itself.
    async fn ensure_task(&self, owner: &SessionOwner, workflow: Workflow) -> Result<(), ApiError> {
        if !self.graph()?.is_some_and(|graph| graph.workflows.contains_key(&workflow)) {
            return Ok(());
        }
        let current = self.host.program_calls().task(&owner.session);
        if let Some(run) = current {
            let found = self.run(move |engine| engine.read_run(run)).await?;
            if found.is_some_and(|run| run.state == RunState::Live) {
                return Ok(());
            }
        }
        let draft = StartDraft {
            session: owner.session.clone(),
            agent: owner.agent.clone(),
            project: None,
            workflow,
            attendance: Attendance::Attended,
            gesture: None,
            parking: Parking::Refused,
        };
        let (run, decision) = self.run(move |engine| engine.start_run(&draft)).await?;
        if matches!(decision.outcome, Outcome::Allow | Outcome::Notify) {
            self.host.program_calls().set_task(&owner.session, run);
        }
        Ok(())
    }
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
        MoveKind::Topic => MovedOn::Topic,
        MoveKind::Context => MovedOn::Context,
    };
    let owner = SessionOwner::new(&body.session, caller.agent);
    let lines = daemon.run(move |engine| engine.move_on(&owner, change)).await?;
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

pub(super) fn foreign_session() -> ApiError {
    ApiError::forbidden("the session belongs to another agent", "use your own session")
}
