//! What was granted, keeping it at its review, and taking it back.

use crate::Daemon;
use crate::api::Shared;
use crate::body::{Body, Id, Queried};
use crate::convert::{GrantTerms, grant_view};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    EmptyRequest, GrantFilter, GrantView, GrantsQuery, GrantsResponse, KeepGrantResponse,
    OwnerFilter, RevokeRequest, RevokeResponse,
};
use countersign_core::model::ids::GrantId;
use countersign_core::model::limits::PROJECT_REVIEW_DAYS;
use countersign_core::model::names::SessionName;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{GrantOwnerFilter, GrantQuery, GrantStatusFilter};
use std::sync::Arc;

impl Daemon {
    pub(super) fn grant_terms(&self) -> Result<GrantTerms, Fault> {
        let graph = self.graph()?;
        let review_days = graph.map_or(PROJECT_REVIEW_DAYS, |graph| graph.review_days.into());
        Ok(GrantTerms { now: self.now(), review_days })
    }
}

pub(super) async fn all(
    State(daemon): Shared,
    Queried(asked): Queried<GrantsQuery>,
) -> Result<Json<GrantsResponse>, Fault> {
    let listing = listing(asked)?;
    let page = daemon.run(move |engine| engine.list_grants(&listing)).await?;
    let terms = daemon.grant_terms()?;
    let grants = page.grants.iter().filter_map(|id| page.state.grants.get(*id));
    let grants = grants.map(|grant| grant_view(grant, &page.state, terms)).collect();
    Ok(Json(GrantsResponse { grants, next: page.next }))
}

fn listing(asked: GrantsQuery) -> Result<GrantQuery, Fault> {
    let which = match asked.state {
        GrantFilter::InForce => GrantStatusFilter::InForce,
        GrantFilter::Used => GrantStatusFilter::Used,
        GrantFilter::All => GrantStatusFilter::All,
    };
    let of = match (asked.session, asked.project, asked.owner) {
        (None, None, OwnerFilter::Anybody) => GrantOwnerFilter::Anyone,
        (None, None, OwnerFilter::Projects) => GrantOwnerFilter::AnyProject,
        (Some(session), None, OwnerFilter::Anybody) => GrantOwnerFilter::Session(session),
        (None, Some(project), _) => GrantOwnerFilter::Project(project),
        (Some(_), ..) => {
            let remedy = "name a session, or a project, or neither";
            return Err(Fault::invalid("grants are listed by one owner at a time", remedy));
        }
    };
    Ok(GrantQuery { status: which, owner: of, before: asked.before, limit: asked.limit.number() })
}

pub(super) async fn one(
    State(daemon): Shared,
    Id(id): Id<GrantId>,
) -> Result<Json<GrantView>, Fault> {
    let known = daemon.run(move |engine| engine.read_grant(id)).await?;
    let grant = known.grants.get(id).ok_or_else(|| Fault::unknown("grant"))?;
    Ok(Json(grant_view(grant, &known, daemon.grant_terms()?)))
}

pub(super) async fn keep(
    State(daemon): Shared,
    Id(id): Id<GrantId>,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<KeepGrantResponse>, Fault> {
    let known = daemon.run(move |engine| engine.read_grant(id)).await?;
    known.grants.get(id).ok_or_else(|| Fault::unknown("grant"))?;
    let kept = daemon.run(move |engine| engine.keep_grants(&[id])).await?;
    match kept.as_slice() {
        [] => {
            let message = "only a grant of a project that is in force is reviewed";
            Err(Fault::invalid(message, "grants of a session end by themselves"))
        }
        [..] => Ok(Json(KeepGrantResponse { kept: id })),
    }
}

pub(super) async fn revoke(
    State(daemon): Shared,
    Body(given): Body<RevokeRequest>,
) -> Result<Json<RevokeResponse>, Fault> {
    let (what, sessions) = meant(&daemon, given).await?;
    let revoked = daemon
        .run(move |engine| {
            let mut reached = Vec::new();
            for session in &sessions {
                reached.extend(engine.revoke(session, &what)?);
            }
            Ok(reached)
        })
        .await?;
    Ok(Json(RevokeResponse { revoked }))
}

/// What is taken back, and in which sessions there is something to take back.
async fn meant(
    daemon: &Arc<Daemon>,
    given: RevokeRequest,
) -> Result<(Revoke, Vec<SessionName>), Fault> {
    let everywhere =
        || daemon.run(|engine| Ok(engine.sessions_with_grants()?.into_iter().collect()));
    match (given.grant, given.workflow, given.session) {
        (Some(id), None, None) if !given.all => {
            let known = daemon.run(move |engine| engine.read_grant(id)).await?;
            let grant = known.grants.get(id).ok_or_else(|| Fault::unknown("grant"))?;
            Ok((Revoke::Grants(vec![id]), vec![grant.made_in.clone()]))
        }
        (None, Some(name), Some(session)) => Ok((Revoke::Workflow(name), vec![session])),
        (None, Some(name), None) => Ok((Revoke::Workflow(name), everywhere().await?)),
        (None, None, Some(session)) => Ok((Revoke::All, vec![session])),
        (None, None, None) if given.all => Ok((Revoke::All, everywhere().await?)),
        (None, None, None) | (Some(_), ..) => {
            let remedy = "name one of `grant`, `workflow`, `session` and `all`";
            Err(Fault::invalid("it is not clear what to take back", remedy))
        }
    }
}
