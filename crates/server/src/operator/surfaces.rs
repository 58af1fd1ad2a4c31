//! What surfaces report: what was typed, clicked, and shown.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    DeliveryRequest, GestureRequest, GestureResponse, RecordedResponse, SayRequest, TurnResponse,
};
use countersign_core::model::delivery::{Delivery, Shown};
use countersign_core::model::names::{Action, SessionName};
use countersign_core::model::turn::Speaker;
use countersign_core::steps::conversation::Turn;
use countersign_engine::TurnReporter;
use std::sync::Arc;

pub(super) async fn say(
    State(daemon): Shared,
    Body(given): Body<SayRequest>,
) -> Result<Json<TurnResponse>, Fault> {
    is_open(&daemon, &given.session).await?;
    let turn = Turn { session: given.session, speaker: Speaker::Operator, text: given.text.into() };
    let said = daemon.run(move |engine| engine.process_turn(&turn, TurnReporter::Operator)).await?;
    Ok(Json(said.ok_or_else(|| Fault::unknown("session"))?.into()))
}

pub(super) async fn gesture(
    State(daemon): Shared,
    Body(given): Body<GestureRequest>,
) -> Result<Json<GestureResponse>, Fault> {
    let GestureRequest { session, declares, shows } = given;
    let declares: Vec<Action> = declares.into();
    is_open(&daemon, &session).await?;
    match shows {
        None if declares.is_empty() => {
            let remedy = "name the actions in `declares`, or the call in `shows`";
            return Err(Fault::invalid("the click is about nothing", remedy));
        }
        None => {}
        Some(call) => {
            let known = daemon.run(move |engine| engine.read_call(call)).await?;
            let shown = known.calls.get(&call).filter(|record| record.call.session == session);
            shown.ok_or_else(|| Fault::unknown("operation"))?;
        }
    }
    let made = daemon.run(move |engine| engine.record_gesture(&session, &declares, shows)).await?;
    Ok(Json(GestureResponse { gesture_id: made }))
}

pub(super) async fn delivered(
    State(daemon): Shared,
    Body(given): Body<DeliveryRequest>,
) -> Result<Json<RecordedResponse>, Fault> {
    let shown = match (given.request, given.notice) {
        (Some(request), None) => Shown::Request(request),
        (None, Some(notice)) => Shown::Notice(notice),
        (None, None) | (Some(_), Some(_)) => {
            let remedy = "name a `request` or a `notice`";
            return Err(Fault::invalid("it is not clear what was shown", remedy));
        }
    };
    let delivery = Delivery { shown, surface: given.surface, evidence: given.evidence };
    match daemon.run(move |engine| engine.record_delivery(&delivery)).await? {
        true => Ok(Json(RecordedResponse::RECORDED)),
        false => Err(Fault::unknown("request or notice")),
    }
}

async fn is_open(daemon: &Arc<crate::Daemon>, session: &SessionName) -> Result<(), Fault> {
    let session = session.clone();
    let owner = daemon.run(move |engine| engine.session_agent(&session)).await?;
    owner.map(drop).ok_or_else(|| Fault::unknown("session"))
}
