//! Who sent a request, as the daemon's admission found out.

use crate::client_identity::ClientIdentity;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::words::Principal;
use countersign_engine::SessionOwner;

/// The extensions of a request that the daemon sets.
pub(super) struct AdmittedAgent {
    agent: Agent,
    principal: Principal,
    project: Option<Project>,
}

impl AdmittedAgent {
    pub(super) const fn name(&self) -> &Agent {
        &self.agent
    }

    /// The agent in one of its sessions.
    pub(super) fn identity(self, session: &SessionName) -> ClientIdentity {
        let owner = SessionOwner::new(session, self.agent);
        ClientIdentity { owner, principal: self.principal, project: self.project }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AdmittedAgent {
    type Rejection = StatusCode;

    fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> impl Future<Output = Result<Self, StatusCode>> + Send {
        // Whose credential it was is only ever a reason to do more.
        let principal = parts.extensions.get().copied().unwrap_or(Principal::Agent);
        let project = parts.extensions.get::<Project>().cloned();
        let agent = parts.extensions.get::<Agent>().cloned();
        let admitted = agent.map(|agent| Self { agent, principal, project });
        std::future::ready(admitted.ok_or(StatusCode::UNAUTHORIZED))
    }
}
