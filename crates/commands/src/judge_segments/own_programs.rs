//! Covers programs that no table describes, and scripts of the workspace, by the class that the graph has
//! for them.
//!
//! See docs/decisions/0133-programs-of-ones-own.md.

use super::SegmentJudge;
use crate::command_place::{CommandPlace, PathRule};
use crate::context::{PinnedFile, ProgramFile};
use crate::open_head::OpenHead;
use crate::rule_form::RuleForm;
use crate::segment_judgement::SegmentJudgement;
use crate::strict::Segment;

/// A command of a class for programs without a table.
pub(super) struct OwnProgram {
    pub(super) class: usize,
    /// The script, which has to be pinned too.
    pub(super) code: Vec<PinnedFile>,
}

pub(super) fn cover_own_program(
    judge: &SegmentJudge,
    judgement: &SegmentJudgement,
    form: &RuleForm,
    place: &CommandPlace,
) -> Option<OwnProgram> {
    find_own_program(judge, &judgement.segment, &judgement.program_file, (form, place))
}

/// Whether a command is one that the graph has a class for although no table describes it. By itself
/// its program can do whatever a later command of the line does.
pub(super) fn runs_program_without_table(
    judge: &SegmentJudge,
    segment: &Segment,
    form: &RuleForm,
    place: &CommandPlace,
) -> bool {
    let Some(program) = form.argv.first() else { return false };
    let file = judge.find_program(program, place.folders);
    find_own_program(judge, segment, &file, (form, place)).is_some()
}

fn find_own_program(
    judge: &SegmentJudge,
    segment: &Segment,
    program_file: &ProgramFile,
    (form, place): (&RuleForm, &CommandPlace),
) -> Option<OwnProgram> {
    let OpenHead { class_rule, code, .. } = form.find_open_head(segment, program_file, place)?;
    let rule = class_rule?.map(str::to_owned);
    let (index, rules) = (&judge.classes.index, &judge.classes.rules);
    let class = index.find_covering_rule(rules, &rule, place, PathRule::Inside).ok()?;
    place.runs_inside().then_some(OwnProgram { class, code })
}
