//! Sessions of coding agents' programs: one that is cleared and goes on under another name, a plan
//! that its user has accepted, and a move to another project.
//!
//! See docs/decisions/0103-what-programs-report.md.

use crate::{AgentError, Host};
use countersign_core::model::names::{Action, Project, SessionKey, Tool};
use countersign_core::model::plan::PlanDraft;
use countersign_core::model::words::SessionEnder;
use countersign_engine::{ConversationMove, SessionOwner};

impl Host {
    /// Remembers that the conversation of a session was cleared. The session stays until another one
    /// takes its standing commands over, or else until it idles out.
    pub async fn clear_session(&self, owner: SessionOwner) -> Result<(), AgentError> {
        let reader = owner.clone();
        let read = self.run(move |engine| engine.read_own_project(&reader.session, &reader));
        let project = read.await?;
        self.program_calls().add_cleared(owner.session, project);
        Ok(())
    }

    /// Asks the operator which standing commands of an earlier session hold in this one too. Without
    /// a name, the earlier one is what was cleared last in this project, and it ends with this.
    pub async fn hand_over(
        &self,
        from: Option<SessionKey>,
        owner: SessionOwner,
        project: Option<Project>,
    ) -> Result<usize, AgentError> {
        let is_named = from.is_some();
        let cleared = || self.program_calls().take_cleared(&owner.agent, project.as_ref());
        let from = from.or_else(cleared).ok_or(AgentError::Unknown("session"))?;
        let asked = self.run(move |engine| {
            let asked = engine.hand_over(&from, &owner, project.as_ref())?;
            if !is_named {
                engine.end_session(&from, SessionEnder::Adapter)?;
            }
            Ok(asked)
        });
        asked.await?.ok_or(AgentError::Unknown("session"))
    }

    /// Records a plan. If the program's user has accepted it in the program, the lines say what
    /// became of it.
    pub async fn submit_plan(
        &self,
        owner: SessionOwner,
        draft: PlanDraft,
        accepted_call: Option<&str>,
    ) -> Result<Vec<String>, AgentError> {
        let calls = self.program_calls();
        let is_accepted = accepted_call.is_some_and(|id| calls.is_asked_twice(&owner.session, id));
        let planned = self.run(move |engine| match is_accepted {
            true => engine.propose_accepted_plan(&owner, &draft),
            false => Ok(engine.propose_plan(&owner, &draft)?.map(|()| Vec::new())),
        });
        planned.await?.ok_or(AgentError::ForeignSession)
    }

    /// The actions that the graph maps these tools to. Of a tool that it does not name, none.
    pub fn list_tool_actions(&self, tools: &[Tool]) -> Result<Vec<Action>, AgentError> {
        let Some(graph) = self.graph()? else { return Ok(Vec::new()) };
        let mappings = tools.iter().filter_map(|tool| graph.tool(tool.as_str()));
        Ok(mappings.flat_map(|mapping| mapping.actions.clone()).collect())
    }

    /// Ends the consent for the task if the program works in another project than before, and returns
    /// the lines that announce it.
    pub async fn note_project(
        &self,
        owner: &SessionOwner,
        project: Option<Project>,
        works_in: Option<Project>,
    ) -> Result<Vec<String>, AgentError> {
        let Some(works_in) = works_in else { return Ok(Vec::new()) };
        if !self.program_calls().moves_to(&owner.session, works_in) {
            return Ok(Vec::new());
        }
        let (owner, moved) = (owner.clone(), ConversationMove::Context);
        let moved = self.run(move |engine| engine.record_move(&owner, project.as_ref(), moved));
        moved.await?.ok_or(AgentError::ForeignSession)
    }
}
