//! Ids by a part of them.

use crate::api::Shared;
use crate::body::Queried;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{IdKind, IdsQuery, IdsResponse};
use countersign_engine::Sought;

/// More than this many help nobody to see which one was meant.
const MOST: usize = 10;

pub(super) async fn find(
    State(daemon): Shared,
    Queried(IdsQuery { kind, part }): Queried<IdsQuery>,
) -> Result<Json<IdsResponse>, Fault> {
    let sought = match kind {
        IdKind::Call => Sought::Call,
        IdKind::Request => Sought::Request,
        IdKind::Run => Sought::Run,
        IdKind::Grant => Sought::Grant,
        IdKind::Proposal => Sought::Proposal,
        IdKind::Notice => Sought::Notice,
    };
    let ids = daemon.run(move |engine| engine.find(sought, part.as_str(), MOST)).await?;
    Ok(Json(IdsResponse { ids }))
}
