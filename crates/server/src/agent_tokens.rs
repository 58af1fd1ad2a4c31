//! The tokens of agents, on the operator's plane: issue, list, revoke.

use crate::credentials::{CredentialError, IssuedCredential};
use crate::error::{ApiError, ApiErrorKind};
use crate::extract::{JsonBody, PathParam};
use crate::peers::CallerKind;
use crate::routes::{Api, ServerState};
use axum::Json;
use axum::extract::State;
use countersign_api::paths::operator as paths;
use countersign_api::{
    AddAgentRequest, AddAgentResponse, AgentView, AgentsResponse, ApplicationRequest, EmptyRequest,
    RenewTokenResponse, RevokeAgentResponse, Timestamp,
};
use countersign_core::model::application::ApplicationRights;
use countersign_core::model::change::Credential;
use countersign_core::model::names::Agent;
use std::sync::Arc;

pub(crate) fn add_routes(api: Api) -> Api {
    use ApiErrorKind::{Conflict, Invalid};
    api.get(paths::AGENTS, "Lists the agents that have a token", list_agents)
        .post(paths::AGENTS, "Issues a token to an agent; it is shown once", add_agent)
        .errors(&[Conflict, Invalid])
        .post(paths::REVOKE_AGENT, "Revokes an agent's tokens at once", revoke_agent)
        .errors(&[Conflict])
        .post(paths::RENEW_OPERATOR_TOKEN, "Replaces the operator's token file", renew_token)
        .errors(&[Conflict])
}

impl From<CredentialError> for ApiError {
    fn from(error: CredentialError) -> Self {
        let help = error.help();
        match error {
            CredentialError::AlreadyIssued(_) | CredentialError::TooMany => {
                Self::conflict(error, help)
            }
            CredentialError::Reserved(_) => Self::invalid(error, help),
            CredentialError::Unusable { .. }
            | CredentialError::ReadableByOthers { .. }
            | CredentialError::Damaged { .. }
            | CredentialError::NoFolder
            | CredentialError::Random(_) => Self::unavailable(error, help),
        }
    }
}

/// The ledger records the credential before it becomes valid.
async fn add_agent(
    State(daemon): ServerState,
    JsonBody(body): JsonBody<AddAgentRequest>,
) -> Result<Json<AddAgentResponse>, ApiError> {
    let kind = choose_kind(&body)?;
    let issued_at = daemon.display_time().await?;
    let (credential, token) = daemon.credentials.generate(body.agent, kind, issued_at)?;
    let record = credential.to_record();
    daemon.run(move |engine| engine.record_credential_issued(&record)).await?;
    let IssuedCredential { agent, principal, .. } = credential.clone();
    daemon.credentials.activate(credential)?;
    Ok(Json(AddAgentResponse { agent, principal, token }))
}

/// An application is bound to at least one action, and its gestures to actions of its own.
fn choose_kind(body: &AddAgentRequest) -> Result<CallerKind, ApiError> {
    let Some(ApplicationRequest { actions, gestures }) = body.application.clone() else {
        return Ok(if body.adapter { CallerKind::Adapter } else { CallerKind::Agent });
    };
    let remedy = "name the actions of the application, such as `tasks.*`, and no adapter";
    if body.adapter {
        return Err(ApiError::invalid("an application is no adapter", remedy));
    }
    let rights = ApplicationRights { actions: actions.into(), gestures: gestures.into() };
    if rights.actions.is_empty() {
        return Err(ApiError::invalid("the application is bound to no action", remedy));
    }
    match rights.gestures.iter().find(|gesture| !rights.contains(gesture)) {
        Some(wide) => {
            let message = format!("the gestures of `{wide}` are not within its actions");
            Err(ApiError::invalid(message, remedy))
        }
        None => Ok(CallerKind::Application(Arc::new(rights))),
    }
}

async fn list_agents(State(daemon): ServerState) -> Result<Json<AgentsResponse>, ApiError> {
    let view = |credential: IssuedCredential| AgentView {
        agent: credential.agent,
        principal: credential.principal,
        issued_at: Timestamp(credential.issued_at),
        application: credential.application,
    };
    Ok(Json(AgentsResponse { agents: daemon.credentials.list().into_iter().map(view).collect() }))
}

/// The old token is invalid at once; the ledger entry comes after.
async fn renew_token(
    State(daemon): ServerState,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<RenewTokenResponse>, ApiError> {
    let (old, new) = daemon.credentials.renew_operator()?;
    daemon
        .run(move |engine| {
            old.iter().try_for_each(|old| engine.record_credential_revoked(old))?;
            engine.record_credential_issued(&new)
        })
        .await?;
    let file = daemon.credentials.operator_file().unwrap_or_default();
    Ok(Json(RenewTokenResponse { file: file.display().to_string() }))
}

/// The tokens are invalid at once. The ledger entry comes after, so that it cannot delay this.
async fn revoke_agent(
    State(daemon): ServerState,
    PathParam(agent): PathParam<Agent>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<RevokeAgentResponse>, ApiError> {
    let revoked = daemon.credentials.revoke(&agent)?;
    let mut records: Vec<Credential> = revoked.iter().map(IssuedCredential::to_record).collect();
    let owner = agent.clone();
    let records = daemon
        .run(move |engine| {
            // Those of other nodes on the same record.
            let others = engine.list_credentials()?.into_iter();
            let is_own = |credential: &Credential| credential.agent.as_ref() == Some(&owner);
            for other in others.filter(is_own) {
                if !records.contains(&other) {
                    records.push(other);
                }
            }
            records.iter().try_for_each(|record| engine.record_credential_revoked(record))?;
            Ok(records)
        })
        .await?;
    if records.is_empty() {
        return Err(ApiError::unknown_agent());
    }
    let revoked = records.iter().map(|credential| credential.principal).collect();
    Ok(Json(RevokeAgentResponse { agent, revoked }))
}
