//! The disk as a command line's judge asks for it.

use crate::file_system::Disk;
use crate::limits;
use crate::program::Keeper;
use crate::real_path::RealPath;
use countersign_commands::{CommandContext, DiskLookup, ProgramFile, ResolvedPath};
use std::cell::Cell;

/// Where a line would run, and a disk to ask.
pub struct Ground<'a> {
    disk: &'a dyn Disk,
    workspace: Option<RealPath>,
    cwd: Option<RealPath>,
    /// How often the disk was asked.
    asked: Cell<usize>,
}

impl<'a> Ground<'a> {
    /// A workspace that is no path is none that could be looked at; a line that names no folder
    /// runs in the workspace.
    pub fn new(disk: &'a dyn Disk, workspace: Option<&str>, cwd: Option<&str>) -> Self {
        let root = workspace.filter(|path| path.starts_with('/'));
        let workspace = root.and_then(|root| disk.real(root, "/").ok());
        let cwd = match cwd {
            None => workspace.clone(),
            Some(cwd) => disk.real(cwd, workspace.as_ref().map_or("", RealPath::as_str)).ok(),
        };
        Self { disk, workspace, cwd, asked: Cell::new(0) }
    }

    pub fn places(&self) -> CommandContext<'_> {
        CommandContext {
            workspace: self.workspace.as_ref().map(RealPath::as_str),
            cwd: self.cwd.as_ref().map(RealPath::as_str),
            disk: self,
        }
    }

    /// Whether one more question is within bounds.
    fn may_ask(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get() <= limits::LOOKUPS
    }
}

impl DiskLookup for Ground<'_> {
    fn resolve_path(&self, path: &str) -> ResolvedPath {
        if !self.may_ask() {
            return ResolvedPath::Unresolvable;
        }
        let real = self.disk.real(path, "/");
        real.map_or(ResolvedPath::Unresolvable, |real| ResolvedPath::At(real.as_str().to_owned()))
    }

    fn find_program(&self, name: &str) -> ProgramFile {
        let cwd = self.cwd.as_ref().map_or("", RealPath::as_str);
        if !self.may_ask() {
            return ProgramFile::NotFound {
                why: "the line names more than is looked up".to_owned(),
            };
        }
        match self.disk.program(name, cwd) {
            Err(error) => ProgramFile::NotFound { why: error.to_string() },
            Ok(found) => {
                let path = found.path.as_str().to_owned();
                match found.keeper {
                    Keeper::Others => ProgramFile::Protected { path },
                    Keeper::Agent { at } => ProgramFile::Replaceable { path, writable: at },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paper, Program, Unresolved};
    use countersign_commands::{CommandVerdict, RuleSet};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how often it is asked.
    struct Counting(AtomicUsize);

    impl Disk for Counting {
        fn real(&self, path: &str, cwd: &str) -> Result<RealPath, Unresolved> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Paper::blank().real(path, cwd)
        }

        fn program(&self, name: &str, cwd: &str) -> Result<Program, Unresolved> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Paper::blank().program(name, cwd)
        }
    }

    #[test]
    fn a_line_asks_the_disk_so_often_and_no_more_and_then_only_names_count() {
        let disk = Counting(AtomicUsize::new(0));
        let ground = Ground::new(&disk, Some("/w"), None);
        let rules = RuleSet::parse("deny path /w/x").unwrap();
        let many = "a ".repeat(limits::LOOKUPS * 2);
        let judged = |line: &str| rules.judge(line, &ground.places()).verdict;
        assert!(matches!(
            judged(&format!("ls {many}")),
            CommandVerdict::Deny { .. } | CommandVerdict::Ask { .. }
        ));
        assert!(matches!(judged("ls elsewhere/x"), CommandVerdict::Deny { .. }));
        // The workspace comes on top.
        assert_eq!(disk.0.load(Ordering::SeqCst), limits::LOOKUPS + 1);
    }
}
