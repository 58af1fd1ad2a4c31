//! The files that the commands of a line write: by redirections, by options, and by what they are for.

use super::SegmentJudge;
use super::own_programs::runs_program_without_table;
use crate::command_place::CommandPlace;
use crate::context::is_plain_path;
use crate::lookthrough::find_inner_start;
use crate::option_tables::{self, ProgramEffect};
use crate::rule_form::RuleForm;
use crate::strict::{Redirection, Segment};
use crate::working_folders::FolderSet;
use crate::written_paths::{WrittenPaths, find_effect, find_output_words};

impl SegmentJudge<'_> {
    /// What a command may write.
    pub(super) fn find_writes(&self, segment: &Segment, folders: &FolderSet) -> WrittenPaths {
        let mut written = WrittenPaths::default();
        if segment.argv.first().is_some_and(|program| program == "cd") {
            return written;
        }
        let start = find_inner_start(&segment.argv, self.variables).unwrap_or(0);
        let argv = segment.argv.get(start..).unwrap_or_default();
        let place = CommandPlace {
            context: self.context,
            folders,
            written: &WrittenPaths::default(),
            has_changed_folder: false,
        };
        let form = RuleForm::find_or_written(argv, &place);
        match self.find_written_places(&form.argv, &form.folders) {
            Some(places) => written.add_places(&places),
            None if changes_tree(&form.argv) => written.add_tree(),
            None if find_effect(&form.argv) == ProgramEffect::Unknown
                && runs_program_without_table(self, segment, &form, &place) =>
            {
                written.add_effect(ProgramEffect::Runs);
            }
            None => written.add_effect(find_effect(&form.argv)),
        }
        for word in find_output_words(&form.argv).iter().filter_map(|at| form.argv.get(*at)) {
            match self.context.find_certain(word, &form.folders) {
                Some(places) => written.add_places(&places),
                None => written.add_effect(ProgramEffect::Edits),
            }
        }
        for redirection in &segment.redirections {
            if let Redirection::File(file) = redirection {
                match self.context.find_inside(&file.path, folders) {
                    Some(places) => written.add_places(&places),
                    None => written.add_effect(ProgramEffect::Edits),
                }
            }
        }
        written
    }

    /// Where the paths lead that a command edits, if its words name them all and they are inside. A new
    /// folder is empty, so it leads nowhere else.
    fn find_written_places(&self, argv: &[String], folders: &FolderSet) -> Option<Vec<String>> {
        if find_effect(argv) != ProgramEffect::Edits {
            return None;
        }
        if argv.first().is_some_and(|program| program == "mkdir") {
            return Some(Vec::new());
        }
        let written = option_tables::find_written_words(argv).filter(|words| !words.is_empty())?;
        let words = written.iter().filter_map(|at| argv.get(*at));
        let places = words.map(|word| self.context.find_inside(word, folders));
        Some(places.collect::<Option<Vec<_>>>()?.concat())
    }
}

/// Subcommands of git that change the files of the tree, and git's data besides. Of its configuration
/// they write at most which remote a branch follows.
const TREE_COMMANDS: &[&str] = &[
    "checkout",
    "cherry-pick",
    "commit",
    "merge",
    "mv",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
];

fn changes_tree(argv: &[String]) -> bool {
    let subcommand = argv.get(1).map(String::as_str).unwrap_or_default();
    argv.first().is_some_and(|program| program == "git")
        && TREE_COMMANDS.contains(&subcommand)
        && find_effect(argv) == ProgramEffect::Edits
}

/// The files that a command writes because an option names them.
pub(super) fn find_outputs(argv: &[String], place: &CommandPlace) -> Result<Vec<String>, String> {
    let mut outputs = Vec::new();
    for word in find_output_words(argv).iter().filter_map(|at| argv.get(*at)) {
        let places = place.context.find_certain(word, place.folders);
        match places.filter(|_| is_plain_path(word)) {
            Some(places) => outputs.extend(places),
            None => return Err(format!("it writes `{word}`, and nobody knows where that is")),
        }
    }
    Ok(outputs)
}

/// The files that the redirections of a command write.
pub(super) fn find_edited(segment: &Segment, place: &CommandPlace) -> Result<Vec<String>, String> {
    let mut edited = Vec::new();
    for redirection in &segment.redirections {
        let Redirection::File(file) = redirection else { continue };
        let places = place.find_inside(&file.path).filter(|_| is_plain_path(&file.path));
        match places {
            Some(places) => edited.extend(places),
            None => {
                return Err(format!(
                    "it writes `{}`, which is not inside the workspace",
                    file.path
                ));
            }
        }
    }
    Ok(edited)
}
