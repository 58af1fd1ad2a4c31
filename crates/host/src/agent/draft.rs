//! From what a caller says to the draft of a call: which actions it is decided as, and whether it may
//! park.

use crate::{AgentError, Host};
use countersign_core::decide::printed_tier;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::decision::Decision;
use countersign_core::model::graph::unmapped_tool_action;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::request::Attendance;
use countersign_core::model::words::Principal;
use countersign_engine::SessionOwner;
use serde_json::Value;

/// What the rules say about an action, without a call of it.
#[derive(Clone, Debug)]
pub struct ActionCheck {
    /// The tier as it is printed.
    pub tier: &'static str,
    pub decision: Decision,
}

impl Host {
    /// The draft of a call that names actions, a tool or both. Without actions those of the tool
    /// count. It may park.
    pub fn draft_call(
        &self,
        owner: &SessionOwner,
        mut actions: Vec<Action>,
        tool: Option<Tool>,
        args: Value,
    ) -> Result<CallDraft, AgentError> {
        if let (true, Some(tool)) = (actions.is_empty(), &tool) {
            actions = self.find_tool_actions(tool, &args)?;
        }
        let first = actions.first().cloned().ok_or(AgentError::NoAction)?;
        let mut draft = CallDraft::plain(owner.agent.clone(), owner.session.clone(), first);
        (draft.actions, draft.tool, draft.args) = (actions, tool, args);
        draft.parking = Parking::Allowed;
        Ok(draft)
    }

    fn find_tool_actions(&self, tool: &Tool, args: &Value) -> Result<Vec<Action>, AgentError> {
        let actions = match self.graph()? {
            Some(graph) => graph.actions_for_tool(tool, args),
            None => unmapped_tool_action(tool).map(|action| vec![action]),
        };
        actions.map_err(AgentError::Name)
    }

    /// Adds the command line that a caller sends besides the arguments. An agent that names an action
    /// and a command line is believed about neither: what runs a command line in this graph is added,
    /// and classes replace it as they would for a tool.
    pub fn add_command_line(
        &self,
        draft: &mut CallDraft,
        line: &str,
        sender: Principal,
    ) -> Result<(), AgentError> {
        let is_trusted = matches!(sender, Principal::Adapter | Principal::Operator);
        if let (false, None, Some(graph)) = (is_trusted, &draft.tool, self.graph()?) {
            let running = graph.tools.iter().filter(|mapping| mapping.command.is_some());
            for action in running.flat_map(|mapping| &mapping.actions) {
                if !draft.actions.contains(action) {
                    draft.actions.push(action.clone());
                }
            }
        }
        draft.command = Some(countersign_commands::analyse(line, draft.cwd.as_deref()));
        Ok(())
    }

    /// What the rules say about the draft of a call of one action. Nobody is asked, and nothing is
    /// recorded.
    pub async fn check_action(&self, mut draft: CallDraft) -> Result<ActionCheck, AgentError> {
        let graph = self.graph()?.ok_or(AgentError::NoRules)?;
        let action = draft.actions.first().cloned().ok_or(AgentError::NoAction)?;
        draft.parking = self.limit_parking(draft.parking);
        let confidence = draft.claims.confidence;
        let decided = self.run(move |engine| {
            let today = engine.display_time().date();
            engine.decide_hypothetical(&draft).map(|decision| (decision, today))
        });
        let (decision, today) = decided.await?;
        let tier = printed_tier(&graph, &action, confidence, today).word();
        Ok(ActionCheck { tier, decision })
    }

    /// On a headless host nothing parks.
    pub fn limit_parking(&self, parking: Parking) -> Parking {
        match self.attendance() {
            Attendance::Attended => parking,
            Attendance::Headless => Parking::Refused,
        }
    }
}
