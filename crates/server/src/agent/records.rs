//! What agents put into the ledger themselves.

use super::turns::foreign;
use crate::api::{By, Shared};
use crate::body::{Body, Queried};
use crate::fault::Fault;
use crate::wire::{InRecord, Place, RecordForm, RecordsForm, RecordsOf};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_core::model::recorded::Recorded;
use countersign_engine::Kept;

pub(super) async fn record(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<RecordForm>,
) -> Result<Json<InRecord>, Fault> {
    let recorded = Recorded {
        session: given.session,
        agent: caller.agent,
        call: given.operation_id,
        ground: given.ground,
        text: given.text.into(),
    };
    match daemon.run(move |engine| engine.record(recorded)).await? {
        Kept::Recorded => Ok(Json(InRecord::RECORDED)),
        Kept::Foreign => Err(foreign()),
        Kept::NoCall => Err(Fault::unknown("operation")),
    }
}

pub(super) async fn list(
    State(daemon): Shared,
    Extension(caller): By,
    Queried(of): Queried<RecordsOf>,
) -> Result<Json<RecordsForm>, Fault> {
    let (agent, from) = (caller.agent, of.from.map(Place::number));
    let found = daemon.run(move |engine| engine.records(&of.session, &agent, from)).await?;
    Ok(Json(found.into()))
}
