//! What waits for an answer.

use crate::api::Shared;
use crate::body::{Id, Queried};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{RequestView, RequestsQuery, RequestsResponse};
use countersign_card::{CardContext, build_card};
use countersign_core::model::ids::RequestId;

pub(super) async fn all(
    State(daemon): Shared,
    Queried(which): Queried<RequestsQuery>,
) -> Result<Json<RequestsResponse>, Fault> {
    let (limit, after) = (which.limit.number(), which.after);
    let found =
        daemon.run(move |engine| engine.list_open_requests(after, limit.saturating_add(1))).await?;
    let ((mut asked, known), graph) = (found, daemon.graph()?);
    let more = asked.len() > limit;
    asked.truncate(limit);
    let next = asked.last().filter(|_| more).copied();
    let view = CardContext { graph: graph.as_deref(), state: &known };
    let open = asked.iter().filter_map(|id| known.requests.get(id));
    let requests = open.map(|request| build_card(view, request).into()).collect();
    Ok(Json(RequestsResponse { requests, next }))
}

pub(super) async fn one(
    State(daemon): Shared,
    Id(id): Id<RequestId>,
) -> Result<Json<RequestView>, Fault> {
    let known = daemon.run(move |engine| engine.read_request(id)).await?;
    let request = known.requests.get(&id).ok_or_else(|| Fault::unknown("request"))?;
    let graph = daemon.graph()?;
    let card = build_card(CardContext { graph: graph.as_deref(), state: &known }, request);
    Ok(Json(RequestView { card: card.into(), state: request.state }))
}
