//! Judges the simple commands of a line in their order: each by its own rule, in the folder where it
//! runs, and with what earlier ones may have written.

mod folder_changes;
mod named_folders;
mod own_programs;
mod path_lists;
mod programs;
mod tools;
mod walk;
mod writes;

use crate::allow::{AllowIndex, NO_RULE};
use crate::classes::{ClassIndex, CoveringClass};
use crate::command_place::{CommandPlace, PathRule};
use crate::context::CommandContext;
use crate::covering::Covering;
use crate::detect::find_in_command;
use crate::expansion::expand_argv;
use crate::git;
use crate::interpreted_code::find_code_files;
use crate::line_paths::{LinePaths, OutputFiles, find_command_paths};
use crate::lookthrough::find_inner_start;
use crate::option_tables::{self, ProgramEffect, StandardInput};
use crate::rule::CommandRule;
use crate::rule_form::RuleForm;
use crate::segment_judgement::SegmentJudgement;
use crate::strict::{Segment, SegmentOrigin, StatusUse};
use crate::subject::{can_run_other_programs, explain_untrusted_program};
use crate::variables::names_build_folder;
use crate::working_folders::FolderSet;
use crate::written_paths::find_effect;
use countersign_core::model::place::ConsentReach;
use own_programs::cover_own_program;
use writes::{find_edited, find_outputs};

pub(crate) struct SegmentJudge<'a> {
    pub(crate) allow: &'a AllowIndex,
    pub(crate) rules: &'a [CommandRule],
    pub(crate) classes: &'a ClassIndex,
    /// Variables that a line may set.
    pub(crate) variables: &'a [String],
    pub(crate) context: &'a CommandContext<'a>,
}

/// The allow rule that covers a command, or why none does; and the class that covers it.
type Coverings = (Result<usize, String>, Option<CoveringClass>);

impl SegmentJudge<'_> {
    fn judge_segment(&self, segment: Segment, place: &CommandPlace) -> SegmentJudgement {
        let mut judgement = SegmentJudgement::new(segment, place.folders);
        match self.cover_segment(&mut judgement, place) {
            Ok((rule, class)) => {
                judgement.covering = rule.map(Covering::Rule);
                judgement.class = class;
            }
            Err(why) => judgement.covering = Err(why),
        }
        self.describe_segment(&mut judgement, place);
        if !judgement.segment.statuses.is_empty() {
            // Readers see `$?` where the rules saw a value that nobody knows.
            judgement.argv = judgement.segment.argv.clone();
        }
        judgement
    }

    /// What a card and a wider yes need to know about a command, covered or not.
    fn describe_segment(&self, judgement: &mut SegmentJudgement, place: &CommandPlace) {
        let argv = judgement.argv.get(judgement.inner_start..).unwrap_or_default();
        let form = RuleForm::find_or_written(argv, place);
        // Without a class the line is described as a whole.
        let outputs = match judgement.class {
            Some(_) => OutputFiles::Apart,
            None => OutputFiles::Included,
        };
        let mut paths = find_command_paths(&form.argv, &form.folders, self.context, outputs);
        self.context.add_folders(&mut paths, &form.folders, &form.argv);
        paths.add_destinations(&form.argv, &form.folders, self.context);
        let detectors = match self.deletes_only_ignored(&form.argv, &form.folders) {
            true => Vec::new(),
            false => find_in_command(&form.argv),
        };
        let is_tool =
            find_inner_start(&judgement.argv, self.variables) != Ok(judgement.inner_start);
        // A head is for the program itself, not for what another one starts.
        let head = if is_tool { None } else { form.find_head(judgement, place) };
        judgement.paths = paths;
        judgement.detectors = detectors;
        judgement.head = head;
        let argv = judgement.argv.get(judgement.inner_start..).unwrap_or_default();
        let program = argv.first().map_or("", String::as_str);
        if judgement.class.is_none() && can_run_other_programs(program) {
            let code = match place.folders.known.as_slice() {
                [folder] => find_code_files(argv, Some(folder), self.context),
                [] => find_code_files(argv, None, self.context),
                [_, ..] => None,
            };
            // A rule names what it covers, so it needs no pin.
            let is_covered = judgement.covering.is_ok();
            let is_named =
                code.is_some_and(|files| is_covered || judgement.program_file.add_code(files));
            if !is_named {
                judgement.widest = ConsentReach::Once;
            }
        }
    }

    /// Whether a delete reaches nothing but files that git ignores and does not track, inside the
    /// workspace and no secrets. These can be made again.
    fn deletes_only_ignored(&self, argv: &[String], folders: &FolderSet) -> bool {
        let is_rm = argv.first().is_some_and(|program| program == "rm");
        let named = option_tables::find_written_words(argv).filter(|_| is_rm).unwrap_or_default();
        let is_ignored = |at: &usize| {
            let places = argv.get(*at).and_then(|word| self.context.find_inside(word, folders));
            places.is_some_and(|places| places.iter().all(|one| self.context.disk.is_ignored(one)))
        };
        !named.is_empty() && named.iter().all(is_ignored)
    }

    fn check_assignments(&self, segment: &Segment, place: &CommandPlace) -> Result<(), String> {
        for assignment in &segment.assignments {
            if !self.variables.contains(&assignment.name) {
                return Err(format!("`{}` is not a variable that a line may set", assignment.name));
            }
            if names_build_folder(&assignment.name) && !place.is_inside(&assignment.value) {
                return Err(format!("`{}` is no folder of the workspace", assignment.value));
            }
        }
        Ok(())
    }

    fn cover_segment(
        &self,
        judgement: &mut SegmentJudgement,
        place: &CommandPlace,
    ) -> Result<Coverings, String> {
        let segment = &judgement.segment;
        if let Some(unknown) = segment.named_folders.first() {
            return Err(format!("nobody knows the folder `{}`", unknown.folder.as_written()));
        }
        // Shown to the reader, so it is looked up first.
        let start = find_inner_start(&segment.argv, self.variables);
        let inner = segment.argv.get(*start.as_ref().unwrap_or(&0)).cloned().unwrap_or_default();
        judgement.program_file = self.find_program(&inner, place.folders);
        self.check_assignments(segment, place)?;
        let start = start?;
        judgement.inner_start = start;
        if segment.argv.iter().take(start).any(|word| word == "rtk") {
            let filter = self.find_program("rtk", place.folders);
            explain_untrusted_program("rtk", &filter, self.context).map_or(Ok(()), Err)?;
            judgement.program_file = judgement.program_file.clone().behind(filter);
        }
        judgement.argv = expand_argv(segment, start, place)?;
        let written = judgement.argv.get(start..).unwrap_or_default();
        let form = RuleForm::find(written, place)?;
        let (argv, place) = (form.argv.as_ref(), &form.place(place));
        check_origin(segment.origin, find_effect(argv))?;
        let find = |argv: &[String]| {
            self.allow.find_covering_rule(self.rules, argv, place, PathRule::Inside)
        };
        // A rule that an operator wrote means the command alone: `!` and, in some shells, `time` are
        // keywords.
        let has_keyword = segment.argv.iter().take(start).any(|word| word == "time")
            || segment.status == StatusUse::Negated;
        let rule =
            if has_keyword { Err(NO_RULE.to_owned()) } else { form.find_allow_rule(written, find) };
        let rule = rule.and_then(|rule| git::check_own_repository(argv, place).map(|()| rule));
        let class = self.find_class_rule(argv, place);
        if rule.is_err()
            && class.is_err()
            && let Some(tool) = self.cover_tool(judgement, place)?
        {
            judgement.inner_start = tool.start;
            judgement.program_file = tool.program_file;
            judgement.edited_paths = self.find_edited_paths(&tool.edited);
            judgement.edited = tool.edited;
            return Ok((rule, self.classes.covering(tool.class)));
        }
        let own = match (&rule, &class) {
            (Err(_), Err(_)) => cover_own_program(self, judgement, &form, place),
            _ => None,
        };
        let own = own.filter(|own| judgement.program_file.add_code(own.code.clone()));
        let class = own.map_or(class, |own| Ok(own.class));
        if let (Err(why), Err(class_why)) = (&rule, &class) {
            let is_empty = self.classes.rules.is_empty() || class_why == NO_RULE;
            return Err(if is_empty { why.clone() } else { class_why.clone() });
        }
        let table = option_tables::find_table(argv);
        if segment.input.is_some() && !table.is_some_and(|table| table.input == StandardInput::Data)
        {
            return Err("its here-document may be more than data".to_owned());
        }
        if place.written.has_edits && find_effect(argv) == ProgramEffect::Runs {
            return Err("the line edits something, and then builds or runs it".to_owned());
        }
        git::check_configuration(written, place)?;
        let mut edited = find_edited(segment, place)?;
        edited.extend(find_outputs(argv, place)?);
        judgement.edited = edited;
        judgement.edited_paths = self.find_edited_paths(&judgement.edited);
        self.check_programs(judgement, place.written)?;
        Ok((rule, class.ok().and_then(|class| self.classes.covering(class))))
    }

    /// The class rule that covers a command. What runs code or writes git's data does that in its
    /// folder, which its words do not name.
    fn find_class_rule(&self, argv: &[String], place: &CommandPlace) -> Result<usize, String> {
        let (index, rules) = (&self.classes.index, &self.classes.rules);
        let found = index.find_covering_rule(rules, argv, place, PathRule::ByPlace)?;
        match find_effect(argv) {
            ProgramEffect::Runs | ProgramEffect::WritesGitData | ProgramEffect::Unknown
                if !place.runs_inside() =>
            {
                Err("it runs in a folder outside of the workspace".to_owned())
            }
            ProgramEffect::Runs
            | ProgramEffect::WritesGitData
            | ProgramEffect::Unknown
            | ProgramEffect::Reads
            | ProgramEffect::ChangesElsewhere
            | ProgramEffect::Edits
            | ProgramEffect::Formats
            | ProgramEffect::Deletes => Ok(found),
        }
    }

    /// The places of the files that redirections write.
    fn find_edited_paths(&self, edited: &[String]) -> LinePaths {
        let mut paths = LinePaths::default();
        edited.iter().for_each(|path| paths.add_written(self.context, path));
        paths
    }
}

/// What one iteration of a loop writes, the next one may run. A program that runs code may read a
/// variable that was exported before.
fn check_origin(origin: SegmentOrigin, effect: ProgramEffect) -> Result<(), String> {
    let runs = matches!(effect, ProgramEffect::Runs | ProgramEffect::Unknown);
    match origin {
        SegmentOrigin::Loop if effect != ProgramEffect::Reads => {
            Err("it is repeated, and does more than read".to_owned())
        }
        SegmentOrigin::BehindSetting if runs => {
            Err("it may read a variable that the line sets".to_owned())
        }
        SegmentOrigin::Line
        | SegmentOrigin::Loop
        | SegmentOrigin::BehindVariable
        | SegmentOrigin::BehindSetting => Ok(()),
    }
}
