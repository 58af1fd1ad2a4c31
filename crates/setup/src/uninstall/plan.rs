//! What `uninstall` would write for one program.

use crate::context::SetupContext;
use crate::files::read_if_present;
use crate::installed::{Backup, PlannedFileChange, check_writable, plan_removal};
use countersign_console::{BOLD, Failure, Page};
use countersign_harness::Program;
use std::path::{Path, PathBuf};

pub(super) struct RemovalPlan {
    program: Program,
    backup: Backup,
    files: Vec<(FileRemoval, PlannedFileChange)>,
}

#[derive(Clone, Copy)]
enum FileRemoval {
    /// Nobody has changed it since, so it gets its first bytes back.
    Restored,
    /// There was no file before us.
    Removed,
    /// Somebody has changed it since, so only our entries go.
    EntriesOnly,
}

impl FileRemoval {
    const fn describe(self) -> &'static str {
        match self {
            Self::Restored => "gets its first bytes back",
            Self::Removed => "is removed, because we made it",
            Self::EntriesOnly => {
                "was changed since, or is not in our backup: only our entries are removed"
            }
        }
    }
}

impl RemovalPlan {
    pub(super) fn new(program: Program, context: &SetupContext) -> Result<Self, Failure> {
        let backup = Backup::open(&context.record.data()?, program)?;
        let folder = context.program_folder(program)?;
        let usual = program.hook_files().iter().map(|file| folder.join(file.path));
        let mut paths: Vec<PathBuf> = backup.paths().map(Path::to_owned).chain(usual).collect();
        paths.sort();
        paths.dedup();
        let mut files = Vec::new();
        for path in paths {
            files.extend(plan_file(program, path, &backup)?);
        }
        Ok(Self { program, backup, files })
    }

    pub(super) const fn program(&self) -> Program {
        self.program
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.files.is_empty()
    }

    pub(super) fn draw(&self, page: &mut Page) {
        page.styled(BOLD, self.program.title());
        if self.files.is_empty() {
            page.text(": none of our hooks is in its settings").end();
            return;
        }
        page.end();
        for (removal, change) in &self.files {
            page.text(&format!("{} {}", change.path.display(), removal.describe())).end();
            change.draw(page, usize::MAX);
        }
    }

    pub(super) fn apply(self) -> Result<(), Failure> {
        let changes: Vec<PlannedFileChange> =
            self.files.into_iter().map(|(_, change)| change).collect();
        self.backup.restore(&changes)
    }
}

/// None if nothing of ours is in the file.
fn plan_file(
    program: Program,
    path: PathBuf,
    backup: &Backup,
) -> Result<Option<(FileRemoval, PlannedFileChange)>, Failure> {
    let Some(old) = read_if_present(&path)? else { return Ok(None) };
    let change =
        |new| PlannedFileChange { path: path.clone(), old: Some(old.clone()), new, original: None };
    let planned = match backup.original(&path, &old)? {
        Some(Some(first)) => (FileRemoval::Restored, change(Some(first))),
        Some(None) => (FileRemoval::Removed, change(None)),
        None => match plan_removal(program, &path, &old)? {
            Some(text) => (FileRemoval::EntriesOnly, change(Some(text))),
            None => return Ok(None),
        },
    };
    check_writable(&path)?;
    Ok(Some(planned))
}
