//! What an agent lists of its own, and the records that it adds to the ledger itself.

use crate::error::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    ConsentResponse, RecordRequest, RecordedResponse, RecordsQuery, RecordsResponse, SessionQuery,
};
use countersign_core::model::recorded::Recorded;
use countersign_engine::{RecordsFrom, SessionOwner};

pub(super) async fn list_consent(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<ConsentResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    Ok(Json(daemon.host.list_own_consent(owner).await?))
}

pub(super) async fn add_record(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<RecordRequest>,
) -> Result<Json<RecordedResponse>, ApiError> {
    let recorded = Recorded {
        session: caller.session(&body.session),
        agent: caller.agent,
        call: body.operation_id,
        ground: body.ground,
        text: body.text.into(),
    };
    daemon.host.record_statement(recorded).await?;
    Ok(Json(RecordedResponse::RECORDED))
}

pub(super) async fn list_records(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    QueryParams(query): QueryParams<RecordsQuery>,
) -> Result<Json<RecordsResponse>, ApiError> {
    let from = match (query.from, query.before) {
        (None, None) => RecordsFrom::Latest,
        (Some(from), None) => RecordsFrom::Position(from.number()),
        (None, Some(before)) => RecordsFrom::Before(before.number()),
        (Some(_), Some(_)) => {
            let remedy = "send one of them";
            return Err(ApiError::invalid("the query has both `from` and `before`", remedy));
        }
    };
    let owner = SessionOwner::new(&query.session, caller.agent);
    Ok(Json(daemon.host.list_records(owner, from).await?))
}
