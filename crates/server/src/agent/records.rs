//! The records that agents add to the ledger themselves.

use super::turns::foreign_session;
use crate::convert::records_response;
use crate::error::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    LedgerPosition, RecordRequest, RecordedResponse, RecordsQuery, RecordsResponse,
};
use countersign_core::model::recorded::Recorded;
use countersign_engine::{RecordResult, SessionOwner};

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
    let from = query.from.map(LedgerPosition::number);
    let owner = SessionOwner::new(&query.session, caller.agent);
    let page = daemon.run(move |engine| engine.list_records(&owner, from)).await?;
    Ok(Json(records_response(page)))
}
