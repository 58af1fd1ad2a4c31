//! The requests that wait for an answer.

use crate::error::ApiError;
use crate::extract::{PathParam, QueryParams};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{RequestView, RequestsQuery, RequestsResponse};
use countersign_card::{CardContext, build_card};
use countersign_core::model::ids::RequestId;

pub(super) async fn list_requests(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<RequestsQuery>,
) -> Result<Json<RequestsResponse>, ApiError> {
    let (limit, after) = (query.limit.number(), query.after);
    let page =
        daemon.run(move |engine| engine.list_open_requests(after, limit.saturating_add(1))).await?;
    let ((mut ids, state), graph) = (page, daemon.graph()?);
    let has_more = ids.len() > limit;
    ids.truncate(limit);
    let next = ids.last().filter(|_| has_more).copied();
    let context = CardContext { graph: graph.as_deref(), state: &state };
    let open = ids.iter().filter_map(|id| state.requests.get(id));
    let requests = open.map(|request| build_card(context, request).into()).collect();
    Ok(Json(RequestsResponse { requests, next }))
}

pub(super) async fn get_request(
    State(daemon): ServerState,
    PathParam(id): PathParam<RequestId>,
) -> Result<Json<RequestView>, ApiError> {
    let state = daemon.run(move |engine| engine.read_request(id)).await?;
    let request = state.requests.get(&id).ok_or_else(|| ApiError::unknown("request"))?;
    let graph = daemon.graph()?;
    let card = build_card(CardContext { graph: graph.as_deref(), state: &state }, request);
    Ok(Json(RequestView { card: card.into(), state: request.state }))
}
