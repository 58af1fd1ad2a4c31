//! What agents put into the ledger themselves.

use super::turns::foreign;
use crate::api::{By, Shared};
use crate::body::{Body, Queried};
use crate::convert::records_response;
use crate::fault::Fault;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    LedgerPosition, RecordRequest, RecordedResponse, RecordsQuery, RecordsResponse,
};
use countersign_core::model::recorded::Recorded;
use countersign_engine::{RecordResult, SessionOwner};

pub(super) async fn record(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<RecordRequest>,
) -> Result<Json<RecordedResponse>, Fault> {
    let recorded = Recorded {
        session: given.session,
        agent: caller.agent,
        call: given.operation_id,
        ground: given.ground,
        text: given.text.into(),
    };
    match daemon.run(move |engine| engine.record_statement(recorded)).await? {
        RecordResult::Recorded => Ok(Json(RecordedResponse::RECORDED)),
        RecordResult::ForeignSession => Err(foreign()),
        RecordResult::UnknownCall => Err(Fault::unknown("operation")),
    }
}

pub(super) async fn list(
    State(daemon): Shared,
    Extension(caller): By,
    Queried(of): Queried<RecordsQuery>,
) -> Result<Json<RecordsResponse>, Fault> {
    let from = of.from.map(LedgerPosition::number);
    let owner = SessionOwner::new(of.session, caller.agent);
    let found = daemon.run(move |engine| engine.list_records(&owner, from)).await?;
    Ok(Json(records_response(found)))
}
