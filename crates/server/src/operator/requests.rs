//! The requests that wait for an answer.

use crate::error::ApiError;
use crate::extract::{PathParam, QueryParams};
use crate::limits;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    CardView, LineNumber, RequestTextQuery, RequestTextResponse, RequestView, RequestsQuery,
    RequestsResponse,
};
use countersign_card::{CardContext, build_card, render_full_text};
use countersign_core::model::delivery::{Delivery, Evidence, Extent, ShownObject};
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::request::Subject;
use countersign_core::state::State as CoreState;
use countersign_engine::EngineError;
use countersign_host::HostEngine;
use std::sync::Arc;

/// A page ends at its number of requests or at its number of bytes, whichever comes first.
pub(crate) async fn list_requests(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<RequestsQuery>,
) -> Result<Json<RequestsResponse>, ApiError> {
    let limit = query.limit.number();
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let (mut requests, mut bytes, mut after) = (Vec::<CardView>::new(), 0, query.after);
    loop {
        let (ids, state) = daemon
            .run(move |engine| engine.list_open_requests(after, limits::REQUESTS_READ_AT_ONCE))
            .await?;
        let context = CardContext { graph: graph.as_deref(), state: &state, now };
        let is_last = ids.len() < limits::REQUESTS_READ_AT_ONCE;
        for id in ids {
            // A request that was closed meanwhile is left out.
            let Some(request) = state.requests.get(&id) else { continue };
            let view = CardView::from(build_card(context, request));
            bytes += serde_json::to_vec(&view).map_or(limits::MAX_PAGE_BYTES, |text| text.len());
            let is_full = requests.len() >= limit || bytes > limits::MAX_PAGE_BYTES;
            if is_full && !requests.is_empty() {
                return Ok(Json(RequestsResponse { requests, next: after }));
            }
            after = Some(id);
            requests.push(view);
        }
        if is_last {
            return Ok(Json(RequestsResponse { requests, next: None }));
        }
    }
}

pub(crate) async fn get_request(
    State(daemon): ServerState,
    PathParam(id): PathParam<RequestId>,
) -> Result<Json<RequestView>, ApiError> {
    let state = daemon.run(move |engine| engine.read_cards(&[id])).await?;
    let request = state.requests.get(&id).ok_or_else(|| ApiError::unknown("request"))?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let card = build_card(CardContext { graph: graph.as_deref(), state: &state, now }, request);
    Ok(Json(RequestView { card: card.into(), state: request.state }))
}

pub(crate) async fn get_text(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<RequestTextQuery>,
    PathParam(id): PathParam<RequestId>,
) -> Result<Json<RequestTextResponse>, ApiError> {
    let from = query.from.number();
    let state = daemon.run(move |engine| reveal_request(engine, id, from)).await?;
    let request = state.requests.get(&id).ok_or_else(|| ApiError::unknown("request"))?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let all =
        render_full_text(CardContext { graph: graph.as_deref(), state: &state, now }, request);
    let total = all.len();
    let from = from.min(total);
    let next = LineNumber::new(from + limits::MAX_TEXT_LINES).filter(|n| n.number() < total);
    let lines = all.into_iter().skip(from).take(limits::MAX_TEXT_LINES).collect();
    Ok(Json(RequestTextResponse { lines, total, next }))
}

/// Reads a request with the values that its card hides. That they are shown goes on record, once for
/// each reading from the first line on.
fn reveal_request(
    engine: &HostEngine,
    id: RequestId,
    from_line: usize,
) -> Result<Arc<CoreState>, EngineError> {
    let revealed = engine.reveal_request(id)?;
    if from_line == 0
        && hides_values(&*engine.read_request(id)?, id)
        && !hides_values(&revealed, id)
    {
        let surface = SurfaceName::parse("reveal").map_err(|_| EngineError::Damaged)?;
        let (shown, evidence) = (ShownObject::Request(id), Evidence::Requested);
        let extent = Extent::Part;
        engine.record_delivery(&Delivery { shown, surface, evidence, extent })?;
    }
    Ok(revealed)
}

/// Whether the call of a request contains marks in place of values.
pub(super) fn hides_values(state: &CoreState, id: RequestId) -> bool {
    let request = state.requests.get(&id);
    let calls = request.into_iter().flat_map(|request| match &request.subject {
        Subject::Calls(calls) => calls.as_slice(),
        _ => &[],
    });
    let mut shown = calls.take(1).filter_map(|call| state.calls.get(call));
    shown.any(|record| record.call.is_redacted())
}
