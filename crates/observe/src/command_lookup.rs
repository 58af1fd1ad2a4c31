//! Looks up the paths and programs of one command line, for the rules that judge it.

use crate::base_folders::BaseFolders;
use crate::file_system::FileSystem;
use crate::limits;
use crate::program::Protection;
use crate::real_path::RealPath;
use countersign_commands::{CommandContext, DiskLookup, ProgramFile, ResolvedPath};
use std::cell::Cell;

/// A bounded number of lookups for one command line.
pub struct CommandLookup<'a> {
    files: &'a dyn FileSystem,
    folders: BaseFolders,
    lookups: Cell<usize>,
}

impl<'a> CommandLookup<'a> {
    /// A workspace that is not an absolute path is unknown. Without a `cwd`, the line runs in the
    /// workspace.
    pub fn new(files: &'a dyn FileSystem, workspace: Option<&str>, cwd: Option<&str>) -> Self {
        let folders = BaseFolders::resolve(files, workspace, cwd);
        Self { files, folders, lookups: Cell::new(0) }
    }

    pub fn context(&self) -> CommandContext<'_> {
        CommandContext {
            workspace: self.folders.workspace.as_ref().map(RealPath::as_str),
            cwd: self.folders.cwd.as_ref().map(RealPath::as_str),
            disk: self,
        }
    }

    /// Counts one more lookup. False if that is too many.
    fn try_count_lookup(&self) -> bool {
        self.lookups.set(self.lookups.get() + 1);
        self.lookups.get() <= limits::MAX_LOOKUPS
    }
}

impl DiskLookup for CommandLookup<'_> {
    fn resolve_path(&self, path: &str) -> ResolvedPath {
        if !self.try_count_lookup() {
            return ResolvedPath::Unresolvable;
        }
        let real = self.files.resolve_path(path, "/");
        real.map_or(ResolvedPath::Unresolvable, |real| ResolvedPath::At(real.as_str().to_owned()))
    }

    fn find_program(&self, name: &str) -> ProgramFile {
        if !self.try_count_lookup() {
            return ProgramFile::NotFound { why: "the line needs too many lookups".to_owned() };
        }
        let cwd = self.folders.cwd.as_ref().map_or("", RealPath::as_str);
        match self.files.find_program(name, cwd) {
            Err(error) => ProgramFile::NotFound { why: error.to_string() },
            Ok(program) => {
                let path = program.path.as_str().to_owned();
                match program.protection {
                    Protection::Protected => ProgramFile::Protected { path },
                    Protection::Replaceable { writable } => {
                        ProgramFile::Replaceable { path, writable }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FakeFileSystem, LookupError, ProgramIdentity};
    use countersign_commands::{CommandVerdict, RuleSet};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts its lookups.
    struct CountingFileSystem(AtomicUsize);

    impl FileSystem for CountingFileSystem {
        fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            FakeFileSystem::without_links().resolve_path(path, cwd)
        }

        fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            FakeFileSystem::without_links().find_program(name, cwd)
        }
    }

    #[test]
    fn beyond_the_limit_of_lookups_only_names_count() {
        let files = CountingFileSystem(AtomicUsize::new(0));
        let lookup = CommandLookup::new(&files, Some("/w"), None);
        let rules = RuleSet::parse("deny path /w/x").unwrap();
        let many = "a ".repeat(limits::MAX_LOOKUPS * 2);
        let judge = |line: &str| rules.judge(line, &lookup.context()).verdict;
        assert!(matches!(
            judge(&format!("ls {many}")),
            CommandVerdict::Deny { .. } | CommandVerdict::Ask { .. }
        ));
        assert!(matches!(judge("ls elsewhere/x"), CommandVerdict::Deny { .. }));
        // One more lookup resolved the workspace.
        assert_eq!(files.0.load(Ordering::SeqCst), limits::MAX_LOOKUPS + 1);
    }
}
