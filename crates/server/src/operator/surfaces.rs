//! Reports of surfaces: messages, clicks and deliveries.

use super::requests::hides_values;
use super::sessions::{find_optional_session, find_session};
use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    CloseGestureRequest, CloseGestureResponse, DeliveryRequest, GestureRequest, GestureResponse,
    RecordedResponse, SayRequest, TurnResponse,
};
use countersign_card::{CardContext, build_card};
use countersign_conversation::Turn;
use countersign_core::model::delivery::{Delivery, Extent, ShownObject};
use countersign_core::model::ids::{GestureId, RequestId};
use countersign_core::model::names::{Action, Agent, SessionKey, SessionName};
use countersign_core::model::request::AnswerFrom;
use countersign_core::model::turn::Speaker;
use countersign_engine::{GestureEnd, TurnReporter};
use countersign_host::HostEngine;
use std::sync::Arc;

pub(crate) async fn say(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<SayRequest>,
) -> Result<Json<TurnResponse>, ApiError> {
    let session = find_session(&daemon, body.session).await?;
    let turn = Turn {
        session,
        speaker: Speaker::Operator,
        text: body.text.into(),
        from: AnswerFrom::Conversation,
    };
    let utterance =
        daemon.run(move |engine| engine.process_turn(&turn, TurnReporter::Operator)).await?;
    Ok(Json(utterance.ok_or_else(|| ApiError::unknown("session"))?.into()))
}

pub(crate) async fn add_gesture(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<GestureRequest>,
) -> Result<Json<GestureResponse>, ApiError> {
    let GestureRequest { session, agent, declares, shows, surface } = body;
    let declares: Vec<Action> = declares.into();
    let session = find_or_name_session(&daemon, session, agent).await?;
    match shows {
        None if declares.is_empty() => {
            let remedy = "name the actions in `declares`, or the call in `shows`";
            return Err(ApiError::invalid("the click covers nothing", remedy));
        }
        None => {}
        Some(call) => {
            let state = daemon.run(move |engine| engine.read_call(call)).await?;
            let record = state.calls.get(&call).filter(|record| record.call.session == session);
            record.ok_or_else(|| ApiError::unknown("operation"))?;
        }
    }
    let gesture_id = daemon
        .run(move |engine| engine.record_gesture(&session, &declares, shows, surface.as_ref()))
        .await?;
    Ok(Json(GestureResponse { gesture_id }))
}

/// The session of a click. If the click names the agent, it need not be open: its first call opens it,
/// and fixes its project.
async fn find_or_name_session(
    daemon: &Arc<Daemon>,
    named: SessionName,
    agent: Option<Agent>,
) -> Result<SessionKey, ApiError> {
    if let Some(agent) = agent {
        return Ok(SessionKey::new(&agent, &named));
    }
    let found = find_optional_session(daemon, named).await?;
    found.ok_or_else(|| {
        let remedy = "name its agent as `agent`, and the session need not be open yet";
        ApiError::unknown_session(remedy)
    })
}

pub(crate) async fn close_gesture(
    State(daemon): ServerState,
    PathParam(gesture_id): PathParam<GestureId>,
    JsonBody(body): JsonBody<CloseGestureRequest>,
) -> Result<Json<CloseGestureResponse>, ApiError> {
    let session = find_or_name_session(&daemon, body.session, body.agent).await?;
    let surface = body.surface;
    let close =
        move |engine: &HostEngine| engine.close_gesture(&session, gesture_id, surface.as_ref());
    match daemon.run(close).await? {
        GestureEnd::Closed => Ok(Json(CloseGestureResponse { gesture_id, closed: true })),
        GestureEnd::Over => Ok(Json(CloseGestureResponse { gesture_id, closed: false })),
        GestureEnd::OtherSurface => {
            let remedy = "close it on the surface that it was made on";
            Err(ApiError::forbidden("the click was made on another surface", remedy))
        }
        GestureEnd::Unknown => Err(ApiError::unknown("gesture")),
    }
}

pub(crate) async fn add_delivery(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<DeliveryRequest>,
) -> Result<Json<RecordedResponse>, ApiError> {
    let shown = match (body.request, body.notice) {
        (Some(request), None) => ShownObject::Request(request),
        (None, Some(notice)) => ShownObject::Notice(notice),
        (None, None) | (Some(_), Some(_)) => {
            let remedy = "name a `request` or a `notice`";
            return Err(ApiError::invalid("the delivery names nothing, or two objects", remedy));
        }
    };
    let extent = match (body.shown, body.request) {
        (Extent::Card, Some(request)) if card_is_whole(&daemon, request).await? => Extent::Whole,
        // Nobody can have shown what is no longer here.
        (Extent::Whole, Some(request)) if is_lost(&daemon, request).await? => Extent::Part,
        (extent, _) => extent,
    };
    let DeliveryRequest { surface, evidence, .. } = body;
    let delivery = Delivery { shown, surface, evidence, extent };
    match daemon.run(move |engine| engine.record_delivery(&delivery)).await? {
        true => Ok(Json(RecordedResponse::RECORDED)),
        false => Err(ApiError::unknown("request or notice")),
    }
}

/// Whether values of the call are no longer in memory, so that no surface can show them.
async fn is_lost(daemon: &Daemon, id: RequestId) -> Result<bool, ApiError> {
    let state = daemon.run(move |engine| engine.reveal_request(id)).await?;
    Ok(hides_values(&state, id))
}

/// Whether the card of a request shows the whole call.
async fn card_is_whole(daemon: &Daemon, id: RequestId) -> Result<bool, ApiError> {
    let state = daemon.run(move |engine| engine.read_request(id)).await?;
    let Some(request) = state.requests.get(&id) else { return Ok(false) };
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let card = build_card(CardContext { graph: graph.as_deref(), state: &state, now }, request);
    Ok(card.left_out.is_nothing())
}
