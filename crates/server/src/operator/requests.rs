//! What waits for an answer.

use crate::api::Shared;
use crate::body::{Id, Queried};
use crate::fault::Fault;
use crate::wire::{RequestForm, Requests, WhichRequests};
use axum::Json;
use axum::extract::State;
use countersign_card::{View, card};
use countersign_core::ids::RequestId;
use countersign_core::request::Request;

pub(super) async fn all(
    State(daemon): Shared,
    Queried(which): Queried<WhichRequests>,
) -> Result<Json<Requests>, Fault> {
    let known = daemon.run(|engine| engine.asked()).await?;
    let (graph, now) = (daemon.graph()?, daemon.now());
    let view = View { graph: graph.as_deref(), state: &known };
    let asked = |request: &&Request| request.is_open(now) && Some(request.id) > which.after;
    let mut open: Vec<&Request> = known.requests.values().filter(asked).collect();
    // An id begins with the instant at which it was made.
    open.sort_by_key(|request| request.id);
    let more = open.len() > which.limit.number();
    open.truncate(which.limit.number());
    let next = open.last().filter(|_| more).map(|request| request.id);
    let requests = open.into_iter().map(|request| card(view, request).into()).collect();
    Ok(Json(Requests { requests, next }))
}

pub(super) async fn one(
    State(daemon): Shared,
    Id(id): Id<RequestId>,
) -> Result<Json<RequestForm>, Fault> {
    let known = daemon.run(move |engine| engine.request(id)).await?;
    let request = known.requests.get(&id).ok_or_else(|| Fault::unknown("request"))?;
    let graph = daemon.graph()?;
    let card = card(View { graph: graph.as_deref(), state: &known }, request);
    Ok(Json(RequestForm { card: card.into(), state: request.state }))
}
