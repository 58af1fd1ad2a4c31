//! The disk as a command line's judge asks for it.

use super::{Disk, Keeper, RealPath};
use crate::limits;
use countersign_commands::{Look, Places, Real, Started};
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

    pub fn places(&self) -> Places<'_> {
        Places {
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

impl Look for Ground<'_> {
    fn real(&self, path: &str) -> Real {
        if !self.may_ask() {
            return Real::Nowhere;
        }
        let real = self.disk.real(path, "/");
        real.map_or(Real::Nowhere, |real| Real::At(real.as_str().to_owned()))
    }

    fn program(&self, name: &str) -> Started {
        let cwd = self.cwd.as_ref().map_or("", RealPath::as_str);
        if !self.may_ask() {
            return Started::Nothing { why: "the line names more than is looked up".to_owned() };
        }
        match self.disk.program(name, cwd) {
            Err(error) => Started::Nothing { why: error.to_string() },
            Ok(found) => {
                let path = found.path.as_str().to_owned();
                match found.keeper {
                    Keeper::Others => Started::Kept { path },
                    Keeper::Agent { at } => Started::Replaceable { path, within: at },
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Paper, Program, Unresolved};
    use countersign_commands::{Rules, Verdict};
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
        let rules = Rules::parse("deny path /w/x").unwrap();
        let many = "a ".repeat(limits::LOOKUPS * 2);
        let judged = |line: &str| rules.judge(line, &ground.places()).verdict;
        assert!(matches!(
            judged(&format!("ls {many}")),
            Verdict::Deny { .. } | Verdict::Ask { .. }
        ));
        assert!(matches!(judged("ls elsewhere/x"), Verdict::Deny { .. }));
        // The workspace comes on top.
        assert_eq!(disk.0.load(Ordering::SeqCst), limits::LOOKUPS + 1);
    }
}
