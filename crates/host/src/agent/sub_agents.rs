//! Relates the session of a sub-agent to that of the agent that started it.
//!
//! See docs/decisions/0111-sessions-of-sub-agents.md.

use crate::{AgentError, Host};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Project, SessionKey};
use countersign_engine::SessionOwner;

impl Host {
    /// Puts an own session below the one in which the agent above it works.
    pub async fn join_session(
        &self,
        owner: SessionOwner,
        project: Option<Project>,
        above: SessionKey,
    ) -> Result<(), AgentError> {
        let joined =
            self.run(move |engine| engine.join_session(&owner, project.as_ref(), &above)).await?;
        Ok(joined.ok_or(AgentError::ForeignSession)??)
    }

    /// The same for a session that has proved inside which call of another session it works. False if
    /// that call is not executed any more.
    pub async fn join_executing_call(
        &self,
        owner: SessionOwner,
        project: Option<Project>,
        call: CallId,
    ) -> Result<bool, AgentError> {
        let above = self.run(move |engine| engine.find_executing_session(call)).await?;
        match above {
            Some(above) => self.join_session(owner, project, above).await.map(|()| true),
            None => Ok(false),
        }
    }
}
