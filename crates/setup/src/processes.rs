//! The processes around a hook, as the kernel lists them.

use crate::limits;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The kernel's unit of process starts: a hundredth of a second on every machine that we build for.
const TICK_MILLIS: u64 = 10;

/// All processes at one moment.
pub(crate) struct ProcessTable(BTreeMap<u32, ListedProcess>);

#[derive(Clone, Copy)]
struct ListedProcess {
    parent: u32,
    /// In milliseconds since the machine was started.
    started: u64,
}

/// One process, as far as its user may know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessFile {
    pub(crate) id: u32,
    /// The name, which a program can choose itself.
    pub(crate) name: String,
    /// The file that it executes.
    pub(crate) file: PathBuf,
    /// The first two words of its command line: later ones may be text of any kind.
    pub(crate) words: Vec<String>,
}

impl ProcessTable {
    pub(crate) fn read() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Self(ids.filter_map(|id| Some((id, read_stat(id)?))).collect())
    }

    /// The processes above one, the nearest first.
    pub(crate) fn list_ancestors(&self, id: u32) -> Vec<u32> {
        let parent_of = |id: &u32| self.0.get(id).map(|found| found.parent).filter(|id| *id != 0);
        let above = std::iter::successors(parent_of(&id), parent_of);
        above.take(limits::MAX_ANCESTORS).collect()
    }

    pub(crate) fn started(&self, id: u32) -> Option<u64> {
        Some(self.0.get(&id)?.started)
    }

    /// When each process below one started, but for the excepted.
    pub(crate) fn list_starts_below(&self, top: u32, except: &[u32]) -> Vec<u64> {
        let is_below = |id: u32| self.list_ancestors(id).contains(&top) && !except.contains(&id);
        self.0.iter().filter(|(id, _)| is_below(**id)).map(|(_, found)| found.started).collect()
    }
}

/// After the name, which may hold anything: the state, the parent, and 17 fields later the start.
fn read_stat(id: u32) -> Option<ListedProcess> {
    let text = fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let started: u64 = fields.nth(17)?.parse().ok()?;
    Some(ListedProcess { parent, started: started * TICK_MILLIS })
}

impl ProcessFile {
    pub(crate) fn read(id: u32) -> Self {
        let read = |file: &str| fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let words = text(read("cmdline"));
        Self {
            id,
            name: text(read("comm")).trim().to_owned(),
            file: fs::read_link(format!("/proc/{id}/exe")).unwrap_or_default(),
            words: words.split('\0').take(2).map(str::to_owned).collect(),
        }
    }

    /// The name of its file. A program that was replaced while it runs keeps its name.
    pub(crate) fn file_name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_is_below_us_and_started_after_us() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let (table, own) = (ProcessTable::read(), std::process::id());
        assert_eq!(table.list_ancestors(child.id()).first(), Some(&own));
        assert_eq!(table.list_starts_below(own, &[]), [table.started(child.id()).unwrap()]);
        assert!(table.list_starts_below(own, &[child.id()]).is_empty());
        assert!(table.started(child.id()) >= table.started(own));
        let file = ProcessFile::read(child.id());
        assert!(!file.file_name().is_empty() && file.id == child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
