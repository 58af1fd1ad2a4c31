//! What an agent lists of its own: consent in force, open requests, unfinished calls.

use crate::error::ApiError;
use crate::extract::QueryParams;
use crate::limits::OWN_OBJECTS_LISTED;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{ConsentResponse, SessionQuery};
use countersign_engine::{OwnConsent, SessionOwner};

pub(super) async fn list_consent(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<ConsentResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let found = daemon.run(move |engine| engine.list_own_consent(&owner)).await?;
    let OwnConsent { mut grants, mut requests, mut calls, lines } = found;
    grants.sort_unstable_by_key(|grant| std::cmp::Reverse((grant.granted_at, grant.id)));
    requests.sort_unstable_by_key(|request| (request.opened_at, request.id));
    calls.sort_unstable_by_key(|record| record.call.id);
    let longest = grants.len().max(requests.len()).max(calls.len());
    let most = OWN_OBJECTS_LISTED;
    Ok(Json(ConsentResponse {
        grants: grants.iter().take(most).map(Into::into).collect(),
        requests: requests.iter().take(most).map(Into::into).collect(),
        operations: calls.iter().take(most).map(Into::into).collect(),
        truncated: longest > most,
        lines,
    }))
}
