//! Who a client is, as the daemon found out.

use countersign_core::model::names::Project;
use countersign_core::model::words::Principal;
use countersign_engine::SessionOwner;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientIdentity {
    pub owner: SessionOwner,
    /// Whose credential the client has: an agent's, or that of an adapter.
    pub principal: Principal,
    /// The project that its session opens with. The daemon has checked that the client may name it.
    pub project: Option<Project>,
}

impl ClientIdentity {
    /// A client with no more than an agent's credential, and without a project.
    pub fn of_agent(owner: SessionOwner) -> Self {
        Self { owner, principal: Principal::Agent, project: None }
    }
}
