//! Events as requests to the daemon.

use crate::event::{HookEvent, ToolEnd, ToolUse};
use crate::limits;
use crate::plan::WrittenPlan;
use countersign_api::{
    BoundedInt, BoundedList, CheckRequest, EventOrigin, Observation, OutOfBounds, PlanRequest,
    ProgramCall, ProgramOutcomeRequest, PromptUse, ReportedEffect, Sighting, Text, ToolDefinition,
    TurnAuthor, TurnRequest,
};
use countersign_core::model::names::{Project, Tool, Workflow};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::words::Risk;

/// The workflow whose run stands for what a session works on. A graph without it offers no *this
/// task*.
pub const TASK_WORKFLOW: &str = "task";

impl HookEvent {
    /// The request that decides a tool call.
    pub fn check_request(
        &self,
        tool_use: &ToolUse,
        (sighting, prompt): (Sighting, PromptUse),
        (project, scratch): (Option<Project>, &[String]),
    ) -> Result<CheckRequest, OutOfBounds> {
        let id = tool_use.id.clone().map(Text::try_from).transpose()?;
        let observed = Observation {
            initiator: None,
            parent: None,
            callers: Vec::new().try_into()?,
            gesture: None,
            categories: Vec::new().try_into()?,
            definition: ToolDefinition::AsPinned,
            program_call: Some(ProgramCall { id, sighting, prompt }),
            scratch: bound_folders(scratch)?,
        };
        Ok(CheckRequest {
            project,
            tool: Some(tool_use.tool.clone()),
            args: tool_use.args.clone(),
            cwd: self.cwd.clone().map(Text::try_from).transpose()?,
            reason: cut(&tool_use.words, limits::MAX_WORDS_BYTES).to_owned().try_into()?,
            risk: tool_use.leaves_sandbox().then_some(Risk::High),
            // Both programs take another input for a tool that is about to run.
            narrowing: NarrowingSupport::Accepted,
            observed: Some(observed),
            ..CheckRequest::new(self.session.clone())
        })
    }

    /// The report of how a tool call ended.
    pub fn outcome_request(
        &self,
        tool_use: &ToolUse,
        end: ToolEnd,
    ) -> Result<ProgramOutcomeRequest, OutOfBounds> {
        Ok(ProgramOutcomeRequest {
            session: self.session.clone(),
            id: tool_use.id.clone().map(Text::try_from).transpose()?,
            tool: tool_use.tool.clone(),
            args: tool_use.args.clone(),
            effect: match end {
                ToolEnd::Done => ReportedEffect::Done,
                ToolEnd::Failed => ReportedEffect::Failed,
            },
            origin: EventOrigin::Program,
        })
    }

    /// The report of a message of the user.
    pub fn turn_request(
        &self,
        text: &str,
        author: TurnAuthor,
        (project, scratch): (Option<Project>, &[String]),
    ) -> Result<TurnRequest, OutOfBounds> {
        Ok(TurnRequest {
            session: self.session.clone(),
            project,
            text: shorten_turn(text).try_into()?,
            author,
            origin: EventOrigin::Program,
            processes: None,
            ancestry: None,
            task: Workflow::parse(TASK_WORKFLOW).ok(),
            works_in: None,
            scratch: bound_folders(scratch)?,
        })
    }

    /// The report of a plan that the user has accepted with this call of a tool. None if the plan
    /// names no step.
    pub fn plan_request(
        &self,
        tool_use: &ToolUse,
        plan: &str,
    ) -> Result<Option<PlanRequest>, OutOfBounds> {
        let plan = WrittenPlan::parse(plan);
        let (edits, lines) = (plan.files.len(), plan.commands.len());
        let tools = std::iter::repeat_n("Edit", edits).chain(std::iter::repeat_n("Bash", lines));
        let tools: Vec<Tool> = tools.filter_map(|name| Tool::parse(name).ok()).collect();
        if tools.is_empty() {
            return Ok(None);
        }
        let mut commands = Vec::new();
        for command in plan.commands {
            let words: Result<Vec<_>, _> = command.into_iter().map(Text::try_from).collect();
            commands.push(words?.try_into()?);
        }
        Ok(Some(PlanRequest {
            session: self.session.clone(),
            actions: Vec::new().try_into()?,
            tools: tools.try_into()?,
            commands: commands.try_into()?,
            score: BoundedInt::try_from(u64::from(plan.score)).ok(),
            accepted_call: tool_use.id.clone().map(Text::try_from).transpose()?,
        }))
    }
}

/// A message that is too long is reported by its first words. They still say stop or dry run. The
/// beginning of a longer text could be a grant of something else than what was written.
fn shorten_turn(text: &str) -> String {
    if text.len() <= limits::MAX_TURN_BYTES {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().take(2).collect();
    format!("{} …", cut(&words.join(" "), 256))
}

/// The beginning of a text, without half a character at its end.
fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

fn bound_folders(folders: &[String]) -> Result<BoundedList<Text<4096>, 8>, OutOfBounds> {
    let texts: Result<Vec<_>, _> = folders.iter().cloned().map(Text::try_from).collect();
    texts?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_never_a_grant_of_something_shorter() {
        let text = format!("Grant standing consent for: rm -r {}", "a".repeat(20_000));
        assert_eq!(shorten_turn(&text), "Grant standing …");
        let text = format!("stop {}", "a".repeat(20_000));
        assert!(shorten_turn(&text).starts_with("stop "), "{}", shorten_turn(&text).len());
        assert_eq!(shorten_turn("yes"), "yes");
    }
}
