//! Lists grants, keeps them at a review, revokes them.

use super::sessions::{find_optional_session, find_session};
use crate::Daemon;
use crate::convert::{GrantTerms, grant_view};
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    EmptyRequest, GrantFilter, GrantView, GrantsQuery, GrantsResponse, KeepGrantResponse,
    OwnerFilter, RevokeRequest, RevokeResponse, RevokedGrant,
};
use countersign_card::describe_grant;
use countersign_core::model::grant::Coverage;
use countersign_core::model::ids::GrantId;
use countersign_core::model::limits::PROJECT_REVIEW_DAYS;
use countersign_core::model::names::SessionKey;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{EngineError, GrantOwnerFilter, GrantQuery, GrantStatusFilter};
use countersign_host::HostEngine;
use std::sync::Arc;

impl Daemon {
    pub(crate) async fn grant_terms(&self) -> Result<GrantTerms, ApiError> {
        let graph = self.graph()?;
        let review_days = graph.map_or(PROJECT_REVIEW_DAYS, |graph| graph.review_days.into());
        Ok(GrantTerms { now: self.display_time().await?, review_days })
    }
}

pub(crate) async fn list_grants(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<GrantsQuery>,
) -> Result<Json<GrantsResponse>, ApiError> {
    let session = match query.session.clone() {
        Some(named) => match find_optional_session(&daemon, named).await? {
            Some(session) => Some(session),
            None => return Ok(Json(GrantsResponse { grants: Vec::new(), next: None })),
        },
        None => None,
    };
    let query = build_query(query, session)?;
    let page = daemon.run(move |engine| engine.list_grants(&query)).await?;
    let terms = daemon.grant_terms().await?;
    let grants = page.grants.iter().filter_map(|id| page.state.grants.get(*id));
    let grants = grants.map(|grant| grant_view(grant, &page.state, terms)).collect();
    Ok(Json(GrantsResponse { grants, next: page.next }))
}

fn build_query(query: GrantsQuery, session: Option<SessionKey>) -> Result<GrantQuery, ApiError> {
    let status = match query.state {
        GrantFilter::InForce => GrantStatusFilter::InForce,
        GrantFilter::Used => GrantStatusFilter::Used,
        GrantFilter::All => GrantStatusFilter::All,
    };
    let owner = match (session, query.project, query.owner) {
        (None, None, OwnerFilter::Anybody) => GrantOwnerFilter::Anyone,
        (None, None, OwnerFilter::Projects) => GrantOwnerFilter::AnyProject,
        (Some(session), None, OwnerFilter::Anybody) => GrantOwnerFilter::Session(session),
        (None, Some(project), _) => GrantOwnerFilter::Project(project),
        (Some(_), ..) => {
            let remedy = "name a session, or a project, or neither";
            return Err(ApiError::invalid("grants are listed for one owner at a time", remedy));
        }
    };
    Ok(GrantQuery { status, owner, before: query.before, limit: query.limit.number() })
}

pub(crate) async fn get_grant(
    State(daemon): ServerState,
    PathParam(id): PathParam<GrantId>,
) -> Result<Json<GrantView>, ApiError> {
    let state = daemon.run(move |engine| engine.read_grant(id)).await?;
    let grant = state.grants.get(id).ok_or_else(|| ApiError::unknown("grant"))?;
    Ok(Json(grant_view(grant, &state, daemon.grant_terms().await?)))
}

pub(crate) async fn keep_grant(
    State(daemon): ServerState,
    PathParam(id): PathParam<GrantId>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<KeepGrantResponse>, ApiError> {
    let state = daemon.run(move |engine| engine.read_grant(id)).await?;
    state.grants.get(id).ok_or_else(|| ApiError::unknown("grant"))?;
    let kept = daemon.run(move |engine| engine.keep_grants(&[id])).await?;
    match kept.as_slice() {
        [] => {
            let message = "only a project's grant that is in force is reviewed";
            Err(ApiError::invalid(message, "a session's grants end with the session"))
        }
        [..] => Ok(Json(KeepGrantResponse { kept: id })),
    }
}

pub(crate) async fn revoke(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<RevokeRequest>,
) -> Result<Json<RevokeResponse>, ApiError> {
    let (target, sessions) = find_target(&daemon, body).await?;
    let (revoked, grants) = daemon
        .run(move |engine| {
            let mut revoked = Vec::new();
            for session in &sessions {
                revoked.extend(engine.revoke(session, &target)?);
            }
            let grants = revoked.iter().map(|id| describe_revoked(engine, *id));
            let grants: Vec<_> = grants.collect::<Result<Vec<_>, EngineError>>()?;
            Ok((revoked, grants.into_iter().flatten().collect()))
        })
        .await?;
    Ok(Json(RevokeResponse { revoked, grants }))
}

/// A grant of a workflow, by the workflow's name.
fn describe_revoked(engine: &HostEngine, id: GrantId) -> Result<Option<RevokedGrant>, EngineError> {
    let state = engine.read_grant(id)?;
    let Some(grant) = state.grants.get(id) else { return Ok(None) };
    let run = match &grant.coverage {
        Coverage::Run { run, .. } => Some(*run),
        _ => None,
    };
    let workflow = match (&grant.coverage, run) {
        (Coverage::Class { workflow, .. }, _) => Some(workflow.clone()),
        (_, Some(run)) => engine.read_run(run)?.map(|run| run.workflow),
        (_, None) => None,
    };
    Ok(Some(RevokedGrant {
        id,
        kind: grant.coverage.kind(),
        covers: describe_grant(grant, &state).to_string(),
        workflow,
        run,
        session: grant.made_in.to_name(),
    }))
}

/// What to revoke, and the sessions that have such grants.
async fn find_target(
    daemon: &Arc<Daemon>,
    body: RevokeRequest,
) -> Result<(Revoke, Vec<SessionKey>), ApiError> {
    let all_sessions =
        || daemon.run(|engine| Ok(engine.sessions_with_grants()?.into_iter().collect()));
    let session = match body.session {
        Some(named) => Some(find_session(daemon, named).await?),
        None => None,
    };
    match (body.grant, body.workflow, session) {
        (Some(id), None, None) if !body.all => {
            let state = daemon.run(move |engine| engine.read_grant(id)).await?;
            let grant = state.grants.get(id).ok_or_else(|| ApiError::unknown("grant"))?;
            Ok((Revoke::Grants(vec![id]), vec![grant.made_in.clone()]))
        }
        (None, Some(name), Some(session)) => Ok((Revoke::Workflow(name), vec![session])),
        (None, Some(name), None) => Ok((Revoke::Workflow(name), all_sessions().await?)),
        (None, None, Some(session)) => Ok((Revoke::All, vec![session])),
        (None, None, None) if body.all => Ok((Revoke::All, all_sessions().await?)),
        (None, None, None) | (Some(_), ..) => {
            let remedy = "name one of `grant`, `workflow`, `session` and `all`";
            Err(ApiError::invalid("the request has no target, or several", remedy))
        }
    }
}
