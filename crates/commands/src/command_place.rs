//! Where one command of a line runs, and which paths it may name there.

use crate::context::CommandContext;
use crate::option_tables::ProgramEffect;
use crate::working_folders::FolderSet;
use crate::written_paths::WrittenPaths;

/// Where one command of a line runs.
pub(crate) struct CommandPlace<'a> {
    pub(crate) context: &'a CommandContext<'a>,
    pub(crate) folders: &'a FolderSet,
    /// What other commands of the line may write before or while it runs.
    pub(crate) written: &'a WrittenPaths,
    pub(crate) has_changed_folder: bool,
}

impl CommandPlace<'_> {
    /// Where a word leads, if that is inside the workspace from every folder, no secret, and not
    /// what another command of the line may write.
    pub(crate) fn find_inside(&self, word: &str) -> Option<Vec<String>> {
        let places = self.context.find_inside(word, self.folders)?;
        (!places.iter().any(|place| self.written.covers(place))).then_some(places)
    }

    pub(crate) fn is_inside(&self, word: &str) -> bool {
        self.find_inside(word).is_some()
    }

    /// Whether it is certain where a word leads, inside or outside, and no other command of the line
    /// may write there.
    pub(crate) fn is_certain(&self, word: &str) -> bool {
        let places = self.context.find_certain(word, self.folders);
        places.is_some_and(|places| !places.iter().any(|place| self.written.covers(place)))
    }

    /// Whether a command may take a word as a path.
    pub(crate) fn accepts(&self, word: &str, paths: PathRule, effect: ProgramEffect) -> bool {
        match (paths, effect) {
            (PathRule::ByPlace, ProgramEffect::Reads) => self.is_certain(word),
            (PathRule::ByPlace | PathRule::Inside, _) => self.is_inside(word),
        }
    }

    /// Whether it is certain that the command runs inside, or no folder is known at all.
    pub(crate) fn runs_inside(&self) -> bool {
        let is_inside = |folder: &String| self.context.is_inside(folder);
        let is_certain = !self.folders.is_open && self.folders.known.iter().all(is_inside);
        let is_anywhere = self.context.workspace.is_none() && self.context.cwd.is_none();
        is_anywhere || is_certain
    }
}

/// Which paths a final `*` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathRule {
    /// Those inside the workspace that are no secret.
    Inside,
    /// For a command that only reads, every path: what is outside or secret is decided by its place.
    ByPlace,
}
