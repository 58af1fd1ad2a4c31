//! What waits for an answer.

use crate::api::Shared;
use crate::body::Id;
use crate::fault::Fault;
use crate::wire::{RequestForm, Requests};
use axum::Json;
use axum::extract::State;
use countersign_card::{Card, View, card};
use countersign_core::ids::RequestId;

pub(super) async fn all(State(daemon): Shared) -> Result<Json<Requests>, Fault> {
    let known = daemon.run(|engine| engine.asked()).await?;
    let (graph, now) = (daemon.graph()?, daemon.now());
    let view = View { graph: graph.as_deref(), state: &known };
    let open = known.requests.values().filter(|request| request.is_open(now));
    let mut cards: Vec<Card> = open.map(|request| card(view, request)).collect();
    cards.sort_by_key(|card| (card.opened_at, card.request));
    Ok(Json(Requests { requests: cards.into_iter().map(Into::into).collect() }))
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
