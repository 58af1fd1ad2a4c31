//! Covers a command that starts a tool of the project by the class of that tool.
//!
//! See docs/decisions/0106-programs-that-start-tools.md.

use super::SegmentJudge;
use super::writes::{find_edited, find_outputs};
use crate::command_place::CommandPlace;
use crate::context::ProgramFile;
use crate::option_tables::ProgramEffect;
use crate::rule_form::RuleForm;
use crate::segment_judgement::SegmentJudgement;
use crate::subject::explain_untrusted_program;
use crate::tool_runners::{ToolReach, find_tool};
use crate::written_paths::find_effect;

/// A command whose class is that of the tool which it starts.
pub(super) struct CoveredTool {
    pub(super) class: usize,
    /// The index of the tool in the words.
    pub(super) start: usize,
    pub(super) program_file: ProgramFile,
    pub(super) edited: Vec<String>,
}

impl SegmentJudge<'_> {
    /// The class rule for the tool that a runner starts: `npx tsc`. Both programs count.
    pub(super) fn cover_tool(
        &self,
        judgement: &SegmentJudgement,
        place: &CommandPlace,
    ) -> Result<Option<CoveredTool>, String> {
        let outer = judgement.inner_start;
        let written = judgement.argv.get(outer..).unwrap_or_default();
        let Some(tool) = find_tool(written, place) else { return Ok(None) };
        let inner = written.get(tool.start..).unwrap_or_default();
        let form = RuleForm::find(inner, place)?;
        let class = self.find_class_rule(&form.argv, &form.place(place))?;
        if tool.reach == ToolReach::Builds && find_effect(&form.argv) != ProgramEffect::Runs {
            return Err("the project chooses the program that it starts".to_owned());
        }
        if !place.runs_inside() || judgement.segment.input.is_some() {
            return Err("it starts a tool of the project in an unusual way".to_owned());
        }
        if place.written.has_edits {
            return Err("the line edits something, and then builds or runs it".to_owned());
        }
        let mut edited = find_edited(&judgement.segment, place)?;
        edited.extend(find_outputs(&form.argv, place)?);
        self.check_programs(judgement, place.written)?;
        let mut program_file = judgement.program_file.clone();
        if let Some(file) = &tool.file {
            let found = self.context.disk.find_program(file, self.context.cwd);
            explain_untrusted_program(file, &found, self.context).map_or(Ok(()), Err)?;
            program_file = found.behind(program_file);
        }
        Ok(Some(CoveredTool { class, start: outer + tool.start, program_file, edited }))
    }
}
