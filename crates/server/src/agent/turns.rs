//! What is said in a session: turns, plans, and what it is about. An agent can only tighten.

use crate::api::{By, Shared};
use crate::body::Body;
use crate::fault::Fault;
use crate::peers::Principal;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    HandOverRequest, HandOverResponse, MoveKind, MoveRequest, PlanRequest, RecordedResponse,
    TurnRequest, TurnResponse,
};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::turn::Speaker;
use countersign_core::steps::conversation::Turn;
use countersign_engine::{MovedOn, SessionOwner, TurnReporter};

pub(super) async fn say(
    State(daemon): Shared,
    Extension(caller): By,
    Body(turn): Body<TurnRequest>,
) -> Result<Json<TurnResponse>, Fault> {
    caller.observes("project", turn.project.as_ref())?;
    let speaker = match caller.kind {
        Principal::Agent => Speaker::Agent,
        Principal::Adapter => Speaker::Adapter,
    };
    let owner = SessionOwner::new(turn.session.clone(), caller.agent);
    let project = turn.project;
    let turn = Turn { session: turn.session, speaker, text: turn.text.into() };
    let said = daemon
        .run(move |engine| {
            let reporter = TurnReporter::Agent { owner: &owner, project: project.as_ref() };
            engine.process_turn(&turn, reporter)
        })
        .await?;
    Ok(Json(said.ok_or_else(foreign)?.into()))
}

pub(super) async fn plan(
    State(daemon): Shared,
    Extension(caller): By,
    Body(plan): Body<PlanRequest>,
) -> Result<Json<RecordedResponse>, Fault> {
    caller.observes("score", plan.score.as_ref())?;
    let words = |line| Vec::from(line).into_iter().map(Into::into).collect();
    let draft = PlanDraft {
        actions: plan.actions.into(),
        commands: Vec::from(plan.commands).into_iter().map(words).collect(),
        score: plan.score.map_or(0, |score| score.number() as u8),
        turn: 0,
        state: PlanState::Proposed,
    };
    if draft.actions.is_empty() {
        return Err(Fault::invalid("the plan names no action", "name each step's action"));
    }
    let owner = SessionOwner::new(plan.session, caller.agent);
    let planned = daemon.run(move |engine| engine.propose_plan(&owner, &draft)).await?;
    planned.ok_or_else(foreign)?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn moved(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<MoveRequest>,
) -> Result<Json<RecordedResponse>, Fault> {
    let moved = match given.kind {
        MoveKind::Topic => MovedOn::Topic,
        MoveKind::Context => MovedOn::Context,
    };
    let owner = SessionOwner::new(given.session, caller.agent);
    let done = daemon.run(move |engine| engine.move_on(&owner, moved)).await?;
    done.ok_or_else(foreign)?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn hand_over(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<HandOverRequest>,
) -> Result<Json<HandOverResponse>, Fault> {
    let (from, owner) = (given.from, SessionOwner::new(given.to, caller.agent));
    let asked = daemon.run(move |engine| engine.hand_over(&from, &owner)).await?;
    Ok(Json(HandOverResponse { questions: asked.ok_or_else(|| Fault::unknown("session"))? }))
}

pub(super) fn foreign() -> Fault {
    Fault::forbidden("the session belongs to another agent", "use a session of your own")
}
