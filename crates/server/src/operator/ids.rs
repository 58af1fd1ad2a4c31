//! Finds ids by their first characters.

use crate::error::ApiError;
use crate::extract::QueryParams;
use crate::limits;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{IdKind, IdsQuery, IdsResponse};
use countersign_engine::ObjectKind;

pub(crate) async fn find_ids(
    State(daemon): ServerState,
    QueryParams(IdsQuery { kind, beginning }): QueryParams<IdsQuery>,
) -> Result<Json<IdsResponse>, ApiError> {
    let object = match kind {
        IdKind::Call => ObjectKind::Call,
        IdKind::Request => ObjectKind::Request,
        IdKind::Run => ObjectKind::Run,
        IdKind::Grant => ObjectKind::Grant,
        IdKind::Proposal => ObjectKind::Proposal,
        IdKind::Notice => ObjectKind::Notice,
    };
    let ids = daemon
        .run(move |engine| engine.find_ids(object, beginning.as_str(), limits::MAX_MATCHING_IDS))
        .await?;
    Ok(Json(IdsResponse { ids }))
}
