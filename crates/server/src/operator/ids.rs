//! Ids by a part of them.

use crate::api::Shared;
use crate::body::Queried;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{IdKind, IdsQuery, IdsResponse};
use countersign_engine::ObjectKind;

/// More than this many help nobody to see which one was meant.
const MOST: usize = 10;

pub(super) async fn find(
    State(daemon): Shared,
    Queried(IdsQuery { kind, part }): Queried<IdsQuery>,
) -> Result<Json<IdsResponse>, Fault> {
    let sought = match kind {
        IdKind::Call => ObjectKind::Call,
        IdKind::Request => ObjectKind::Request,
        IdKind::Run => ObjectKind::Run,
        IdKind::Grant => ObjectKind::Grant,
        IdKind::Proposal => ObjectKind::Proposal,
        IdKind::Notice => ObjectKind::Notice,
    };
    let ids = daemon.run(move |engine| engine.find_ids(sought, part.as_str(), MOST)).await?;
    Ok(Json(IdsResponse { ids }))
}
