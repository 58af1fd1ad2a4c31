//! The records that agents add to the ledger themselves.

use super::turns::foreign_session;
use crate::convert::records_response;
use crate::error::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{RecordRequest, RecordedResponse, RecordsQuery, RecordsResponse};
use countersign_core::model::recorded::Recorded;
use countersign_engine::{RecordResult, RecordsFrom, SessionOwner};

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
    match daemon.run(move |engine| engine.record_statement(recorded)).await? {
        RecordResult::Recorded => Ok(Json(RecordedResponse::RECORDED)),
        RecordResult::ForeignSession => Err(foreign_session()),
        RecordResult::UnknownCall => Err(ApiError::unknown("operation")),
    }
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
    let page = daemon.run(move |engine| engine.list_records(&owner, from)).await?;
    Ok(Json(records_response(page)))
}
