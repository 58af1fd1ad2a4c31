//! The tokens of agents, on the operator's plane: issue, list, revoke.
//!
//! See docs/decisions/0132-agent-ls-lists-the-tokens-of-every-node.md.

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
use countersign_engine::CredentialStanding;
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

/// Those of this node first, and then what other nodes on the same record have issued.
pub(crate) async fn list_agents(
    State(daemon): ServerState,
) -> Result<Json<AgentsResponse>, ApiError> {
    let recorded = daemon.run(|engine| engine.list_credentials()).await?;
    let own = daemon.credentials.list();
    let is_revoked = |credential: &IssuedCredential| {
        recorded.iter().any(|standing| match standing {
            CredentialStanding::Revoked(revoked) => revoked.hash == credential.hash,
            CredentialStanding::Issued(_) => false,
        })
    };
    let valid = own.iter().filter(|credential| !is_revoked(credential));
    let mut agents: Vec<AgentView> = valid
        .map(|credential| AgentView {
            agent: credential.agent.clone(),
            principal: credential.principal,
            issued_at: Some(Timestamp(credential.issued_at)),
            application: credential.application.clone(),
        })
        .collect();
    let is_own = |found: &Credential| own.iter().any(|credential| credential.hash == found.hash);
    let others = find_issued(&recorded).filter(|found| !is_own(found));
    agents.extend(others.filter_map(|found| {
        let agent = found.agent.clone()?;
        Some(AgentView { agent, principal: found.principal, issued_at: None, application: None })
    }));
    Ok(Json(AgentsResponse { agents }))
}

fn find_issued(recorded: &[CredentialStanding]) -> impl Iterator<Item = &Credential> {
    recorded.iter().filter_map(|standing| match standing {
        CredentialStanding::Issued(credential) => Some(credential),
        CredentialStanding::Revoked(_) => None,
    })
}

/// The old token is invalid at once; the ledger entry comes after.
async fn renew_token(
    State(daemon): ServerState,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<RenewTokenResponse>, ApiError> {
    let (old, new) = daemon.credentials.renew_operator()?;
    // Who had the old token may have opened a browser with it.
    daemon.dashboard.end_sessions(None)?;
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
            let recorded = engine.list_credentials()?;
            let is_own = |credential: &&Credential| credential.agent.as_ref() == Some(&owner);
            for other in find_issued(&recorded).filter(is_own) {
                if !records.contains(other) {
                    records.push(other.clone());
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
