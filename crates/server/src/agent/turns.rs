//! What is said in a session: turns, plans, and what it is about. An agent can only tighten.

use crate::api::{By, Shared};
use crate::body::Body;
use crate::fault::Fault;
use crate::peers::{Caller, Principal};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    HandOverRequest, HandOverResponse, MoveKind, MoveRequest, PlanRequest, RecordedResponse,
    TurnRequest, TurnResponse,
};
use countersign_core::model::names::SessionName;
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::turn::Speaker;
use countersign_core::steps::conversation::Turn;
use countersign_engine::{Moved, Speaking};

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
    let who = Speaking { project: turn.project, ..speaking(caller, turn.session.clone()) };
    let turn = Turn { session: turn.session, speaker, text: turn.text.into() };
    let said = daemon.run(move |engine| engine.say_in(&who, &turn)).await?;
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
    let who = speaking(caller, plan.session);
    let planned = daemon.run(move |engine| engine.plan_in(&who, &draft)).await?;
    planned.ok_or_else(foreign)?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn moved(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<MoveRequest>,
) -> Result<Json<RecordedResponse>, Fault> {
    let moved = match given.kind {
        MoveKind::Topic => Moved::Topic,
        MoveKind::Context => Moved::Context,
    };
    let who = speaking(caller, given.session);
    let done = daemon.run(move |engine| engine.moved_in(&who, moved)).await?;
    done.ok_or_else(foreign)?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn hand_over(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<HandOverRequest>,
) -> Result<Json<HandOverResponse>, Fault> {
    let (from, who) = (given.from, speaking(caller, given.to));
    let asked = daemon.run(move |engine| engine.hand_over_in(&from, &who)).await?;
    Ok(Json(HandOverResponse { questions: asked.ok_or_else(|| Fault::unknown("session"))? }))
}

fn speaking(caller: Caller, session: SessionName) -> Speaking {
    Speaking { session, agent: caller.agent, project: None }
}

pub(super) fn foreign() -> Fault {
    Fault::forbidden("the session belongs to another agent", "use a session of your own")
}
