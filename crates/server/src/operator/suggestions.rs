//! What was asked often and always approved, and the grant that would end it.

use super::direct_grants::{describe_result, parse_confirmation};
use super::sessions::{find_optional_session, find_session};
use crate::error::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::limits::SESSIONS_LISTED;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    ApplySuggestionRequest, GrantResponse, SuggestedScope, SuggestionsQuery, SuggestionsResponse,
};
use countersign_card::{SuggestionInput, list_suggestions};
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::names::{Project, SessionKey};
use countersign_engine::{
    GrantOwnerFilter, GrantQuery, GrantStatusFilter, SimilarGrantRequest, limits,
};

pub(crate) async fn list(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<SuggestionsQuery>,
) -> Result<Json<SuggestionsResponse>, ApiError> {
    let session = match query.session {
        Some(named) => Some(find_session(&daemon, named).await?),
        None => None,
    };
    let agent = session.as_ref().map(SessionKey::to_agent);
    let closed = daemon.run(move |engine| engine.read_closed_requests(agent.as_ref())).await?;
    let open = daemon.run(|engine| engine.list_open_sessions(SESSIONS_LISTED)).await?;
    let sessions: Vec<(SessionKey, Option<Project>)> =
        open.into_iter().map(|(key, session)| (key, session.project)).collect();
    let page = daemon.run(|engine| engine.list_grants(&grants_in_force())).await?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let grants = page.grants.iter().filter_map(|id| page.state.grants.get(*id));
    let grants: Vec<&Grant> = grants.filter(|grant| grant.in_force(now)).collect();
    let suggestions = list_suggestions(SuggestionInput {
        graph: graph.as_deref(),
        state: &closed.state,
        sessions: &sessions,
        grants: &grants,
        session: session.as_ref(),
        project: query.project.as_ref(),
        since: query.since.map(|since| since.0),
    });
    let (looked_at, more) = (closed.count, closed.has_more);
    Ok(Json(SuggestionsResponse { suggestions, looked_at, more }))
}

fn grants_in_force() -> GrantQuery {
    GrantQuery {
        status: GrantStatusFilter::InForce,
        owner: GrantOwnerFilter::Anyone,
        before: None,
        limit: limits::GRANTS_PER_PAGE,
    }
}

pub(crate) async fn apply(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<ApplySuggestionRequest>,
) -> Result<Json<GrantResponse>, ApiError> {
    let confirmation = parse_confirmation(body.confirm.as_ref())?;
    let Some(session) = find_optional_session(&daemon, body.session).await? else {
        return Err(super::direct_grants::no_session());
    };
    let wanted = SimilarGrantRequest {
        session,
        request: body.request,
        covers: body.covers,
        scope: match body.scope {
            SuggestedScope::Session => Scope::Session,
            SuggestedScope::Project => Scope::Project,
        },
        confirmation,
    };
    let result = daemon.run(move |engine| engine.grant_like(&wanted)).await?;
    describe_result(&daemon, result).await
}
