//! Credentials of agents, on the operator's plane: given, listed, taken back.

use crate::api::{Api, Shared};
use crate::body::{Body, Id};
use crate::credentials::{CredentialError, Held};
use crate::fault::{Fault, Refusal};
use crate::peers;
use axum::Json;
use axum::extract::State;
use countersign_api::paths::operator as paths;
use countersign_api::{
    AddAgentRequest, AddAgentResponse, AgentView, AgentsResponse, EmptyRequest, RenewTokenResponse,
    RevokeAgentResponse, Timestamp,
};
use countersign_core::model::names::Agent;

pub(crate) fn routes(api: Api) -> Api {
    use Refusal::{Conflict, Invalid};
    api.get(paths::AGENTS, "Who holds a token", list)
        .post(paths::AGENTS, "Gives a token to an agent; it is shown once", add)
        .refusing(&[Conflict, Invalid])
        .post(paths::REVOKE_AGENT, "Takes an agent's tokens back, at once", revoke)
        .refusing(&[Conflict])
        .post(paths::RENEW_OPERATOR_TOKEN, "Another token for the operator, in its file", renew)
        .refusing(&[Conflict])
}

impl From<CredentialError> for Fault {
    fn from(error: CredentialError) -> Self {
        let help = error.help();
        match error {
            CredentialError::Twice(_) | CredentialError::Many => Self::conflict(error, help),
            CredentialError::Reserved(_) => Self::invalid(error, help),
            CredentialError::Folder { .. }
            | CredentialError::Open { .. }
            | CredentialError::Damaged { .. }
            | CredentialError::Nowhere
            | CredentialError::Random(_) => Self::unavailable(error, help),
        }
    }
}

/// The record knows of it before anybody can use it.
async fn add(
    State(daemon): Shared,
    Body(asked): Body<AddAgentRequest>,
) -> Result<Json<AddAgentResponse>, Fault> {
    let kind = if asked.adapter { peers::Principal::Adapter } else { peers::Principal::Agent };
    let (held, token) = daemon.credentials.make(asked.agent, kind, daemon.now())?;
    let recorded = held.recorded();
    daemon.run(move |engine| engine.record_credential_issued(&recorded)).await?;
    let Held { agent, principal, .. } = held.clone();
    daemon.credentials.keep(held)?;
    Ok(Json(AddAgentResponse { agent, principal, token }))
}

async fn list(State(daemon): Shared) -> Result<Json<AgentsResponse>, Fault> {
    let form = |held: Held| AgentView {
        agent: held.agent,
        principal: held.principal,
        issued_at: Timestamp(held.issued_at),
    };
    Ok(Json(AgentsResponse { agents: daemon.credentials.all().into_iter().map(form).collect() }))
}

/// What leaked is worth nothing from here on.
async fn renew(
    State(daemon): Shared,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<RenewTokenResponse>, Fault> {
    let (before, new) = daemon.credentials.renew()?;
    daemon
        .run(move |engine| {
            before.iter().try_for_each(|before| engine.record_credential_revoked(before))?;
            engine.record_credential_issued(&new)
        })
        .await?;
    let file = daemon.credentials.operator_file().unwrap_or_default();
    Ok(Json(RenewTokenResponse { file: file.display().to_string() }))
}

/// It is worth nothing from here on; the record comes after, because it must not hold that up.
async fn revoke(
    State(daemon): Shared,
    Id(agent): Id<Agent>,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<RevokeAgentResponse>, Fault> {
    let gone = daemon.credentials.revoke(&agent)?;
    if gone.is_empty() {
        return Err(Fault::not_enrolled());
    }
    let recorded: Vec<_> = gone.iter().map(Held::recorded).collect();
    daemon
        .run(move |engine| {
            recorded.iter().try_for_each(|one| engine.record_credential_revoked(one))
        })
        .await?;
    let revoked = gone.iter().map(|held| held.principal).collect();
    Ok(Json(RevokeAgentResponse { agent, revoked }))
}
