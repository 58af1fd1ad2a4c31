//! Relates the session of a sub-agent to that of the agent that started it.
//!
//! See docs/decisions/0111-sessions-of-sub-agents.md.
//! See docs/decisions/0131-programs-in-an-agents-shell.md.

use crate::{AgentError, Host, ProgramProcess};
use countersign_conversation::JoinRefusal;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Project, SessionKey};
use countersign_engine::SessionOwner;

/// Below which sessions a caller may put its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinReach {
    OwnSessions,
    /// Only for an adapter.
    AnyAgent,
}

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

    /// The same for a session whose program runs inside of another program's process.
    pub async fn join_program_above(
        &self,
        owner: &SessionOwner,
        project: Option<Project>,
        (process, above): (ProgramProcess, &[ProgramProcess]),
        reach: JoinReach,
    ) -> Result<(), AgentError> {
        let calls = self.program_calls();
        let found = calls.find_session_above(above).filter(|found| *found != owner.session);
        let found = found.filter(|found| match reach {
            JoinReach::OwnSessions => found.to_agent() == owner.agent,
            JoinReach::AnyAgent => true,
        });
        if let Some(found) = found {
            match self.join_session(owner.clone(), project, found).await {
                // What the program above worked in has ended.
                Ok(()) | Err(AgentError::NotJoined(JoinRefusal::NotOpen)) => {}
                Err(error) => return Err(error),
            }
        }
        calls.set_process(&owner.session, process);
        Ok(())
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
