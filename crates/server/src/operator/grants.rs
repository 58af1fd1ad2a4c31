//! What was granted, and taking it back.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use crate::wire::{self, GrantForm, Grants, Revoked};
use axum::Json;
use axum::extract::State;
use countersign_core::grant::Grant;
use countersign_core::names::SessionName;
use countersign_core::revoke::Revoke;
use countersign_core::state::State as Known;

pub(super) async fn all(State(daemon): Shared) -> Result<Json<Grants>, Fault> {
    let known = daemon.run(|engine| engine.state()).await?;
    let now = daemon.now();
    let mut all: Vec<&Grant> = known.grants.iter().collect();
    all.sort_by_key(|grant| (std::cmp::Reverse(grant.granted_at), grant.id));
    let grants = all.into_iter().map(|grant| GrantForm::of(grant, now)).collect();
    Ok(Json(Grants { grants }))
}

pub(super) async fn revoke(
    State(daemon): Shared,
    Body(given): Body<wire::Revoke>,
) -> Result<Json<Revoked>, Fault> {
    let known = daemon.run(|engine| engine.state()).await?;
    let (what, sessions) = meant(&known, &given)?;
    let revoked = daemon
        .run(move |engine| {
            let mut reached = Vec::new();
            for session in &sessions {
                reached.extend(engine.revoke(session, &what)?);
            }
            Ok(reached)
        })
        .await?;
    Ok(Json(Revoked { revoked }))
}

fn meant(known: &Known, given: &wire::Revoke) -> Result<(Revoke, Vec<SessionName>), Fault> {
    let all = || known.sessions.keys().cloned().collect::<Vec<_>>();
    let session = || given.session.clone().map_or_else(all, |session| vec![session]);
    match (given.grant, &given.workflow, given.all || given.session.is_some()) {
        (Some(id), None, _) => {
            let grant = known.grants.get(id).ok_or_else(|| Fault::unknown("grant"))?;
            Ok((Revoke::Grants(vec![id]), vec![grant.made_in.clone()]))
        }
        (None, Some(workflow), _) => Ok((Revoke::Workflow(workflow.clone()), session())),
        (None, None, true) => Ok((Revoke::All, session())),
        (None, None, false) | (Some(_), Some(_), _) => {
            let remedy = "name one of `grant`, `workflow`, `session` and `all`";
            Err(Fault::invalid("it is not clear what to take back", remedy))
        }
    }
}
