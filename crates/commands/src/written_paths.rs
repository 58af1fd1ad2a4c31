//! What the commands of a line may write, because a path that one of them may have replaced says
//! nothing any more when the next one runs.
//!
//! See docs/decisions/0116-formatters-and-git-before-a-build.md.

use crate::breadth::runs_workspace_code;
use crate::context::{CommandContext, is_below};
use crate::option_tables::{self, ProgramEffect};

/// What earlier commands of a line may write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenPaths {
    places: Vec<String>,
    git_data: bool,
    anything: bool,
    /// A command other than a build may write anything.
    edits_anything: bool,
    /// Git may change every file of the working tree, but not what configures git.
    edits_tree: bool,
    /// Something was edited, rather than only built or run.
    pub(crate) has_edits: bool,
}

impl WrittenPaths {
    pub(crate) fn add_effect(&mut self, effect: ProgramEffect) {
        match effect {
            // What deletes puts no link in the place of a file. What builds or runs the code of the
            // workspace could do by itself all that a later command does. A formatter puts nothing into
            // a file that was not there.
            ProgramEffect::Reads
            | ProgramEffect::ChangesElsewhere
            | ProgramEffect::Deletes
            | ProgramEffect::Formats
            | ProgramEffect::Runs => {}
            ProgramEffect::WritesGitData => self.git_data = true,
            ProgramEffect::Edits | ProgramEffect::Unknown => {
                self.anything = true;
                self.edits_anything = true;
                self.has_edits = true;
            }
        }
    }

    /// What git's own commands change: files of the tree, and the data of git.
    pub(crate) fn add_tree(&mut self) {
        (self.anything, self.edits_tree, self.has_edits) = (true, true, true);
    }

    pub(crate) fn add_places(&mut self, places: &[String]) {
        self.has_edits |= !places.is_empty();
        self.places.extend_from_slice(places);
    }

    /// What a later command of the same pipe writes to files that its words name: as with a
    /// redirection, nothing is run that was edited before.
    pub(crate) fn without_named_edits(mut self) -> Self {
        self.has_edits = self.edits_anything || self.edits_tree;
        self
    }

    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.places.extend_from_slice(&other.places);
        self.git_data |= other.git_data;
        self.anything |= other.anything;
        self.edits_anything |= other.edits_anything;
        self.edits_tree |= other.edits_tree;
        self.has_edits |= other.has_edits;
        self
    }

    /// Whether a resolved path is at or below what may be written.
    pub(crate) fn covers(&self, place: &str) -> bool {
        self.anything
            || self.places.iter().any(|written| is_below(place, written))
            || (self.git_data && place.split('/').any(|name| name == ".git"))
    }

    /// Whether an edit may change what is at a resolved path, or below it. A build is no edit: it runs
    /// code that could do the same by itself. Git's own data does not configure git.
    pub(crate) fn may_edit(&self, place: &str, context: &CommandContext) -> bool {
        let changes = |written: &String| is_below(place, written) || is_below(written, place);
        // Git keeps its own commands out of `.git`, and they follow no links out of the tree.
        let is_git_data = place.split('/').any(|name| name == ".git");
        let is_in_tree = !is_git_data && context.is_inside(place);
        self.edits_anything || (self.edits_tree && is_in_tree) || self.places.iter().any(changes)
    }

    /// Whether something may be written in this folder or anywhere below it.
    pub(crate) fn may_change_folder(&self, folder: &str) -> bool {
        self.covers(folder) || self.places.iter().any(|written| is_below(written, folder))
    }
}

/// Which words of a command are files that it writes, although editing is not what it is for: the
/// value of `curl -o`.
pub(crate) fn find_output_words(argv: &[String]) -> Vec<usize> {
    match find_effect(argv) {
        ProgramEffect::Edits | ProgramEffect::Formats | ProgramEffect::Deletes => Vec::new(),
        ProgramEffect::Reads
        | ProgramEffect::ChangesElsewhere
        | ProgramEffect::WritesGitData
        | ProgramEffect::Runs
        | ProgramEffect::Unknown => option_tables::find_written_words(argv).unwrap_or_default(),
    }
}

/// What a command does to the files of the workspace.
pub(crate) fn find_effect(argv: &[String]) -> ProgramEffect {
    match option_tables::find_table(argv) {
        Some(table) => table.effect,
        None if runs_workspace_code(argv) => ProgramEffect::Runs,
        None => ProgramEffect::Unknown,
    }
}
