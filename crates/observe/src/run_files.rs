//! Reads the files that decide what a line executes: their hashes, and the text that a card compares.
//!
//! Which files these are, the table in the crate `commands` says. They are looked for in the folders of
//! the command and above, up to the workspace, and for some programs below. Every look is bounded, and
//! what lies beyond a bound counts as changed until somebody says yes to it.
//!
//! See docs/decisions/0119-write-then-run.md.

mod executed_part;
mod search;

use crate::file_system::{FileKind, FileSystem, StampKind};
use crate::limits;
use crate::real_path::RealPath;
use countersign_commands::{
    CONFIG_EXTENSIONS, ReachedRunner, RunFileGroup, RunnerPaths, SearchStart, list_run_file_groups,
};
use countersign_core::model::run_file::{RunFile, RunFileContent};
use countersign_core::model::time::Time;
use executed_part::find_executed_part;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// A file, and the text of the part that is executed if it is short enough to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRunFile {
    pub file: RunFile,
    pub text: Option<String>,
}

/// Reads the files for the lines of one session.
pub struct RunFileReader<'a> {
    files: &'a dyn FileSystem,
    workspace: Option<RealPath>,
    /// Files that the session knows: if one is gone, that is a change.
    known: &'a BTreeMap<String, RunFileContent>,
}

impl<'a> RunFileReader<'a> {
    pub fn new(
        files: &'a dyn FileSystem,
        workspace: Option<&str>,
        known: &'a BTreeMap<String, RunFileContent>,
    ) -> Self {
        let workspace = workspace.filter(|path| path.starts_with('/'));
        let workspace = workspace.and_then(|path| files.resolve_path(path, "/").ok());
        Self { files, workspace, known }
    }

    /// The files in the workspace itself, as they are when a session is opened.
    pub fn read_workspace(&self) -> Vec<ReadRunFile> {
        let Some(workspace) = self.workspace.as_ref().filter(|_| self.files.has_files()) else {
            return Vec::new();
        };
        let mut found = FoundFiles::default();
        let groups: Vec<&RunFileGroup> = list_run_file_groups().iter().collect();
        self.add_folder(workspace.as_str(), &groups, &mut found);
        found.into_list()
    }

    /// The files that these commands read.
    pub fn read_for(&self, runners: &[ReachedRunner]) -> Vec<ReadRunFile> {
        if !self.files.has_files() || !self.files.is_available() {
            return Vec::new();
        }
        let mut found = FoundFiles::default();
        for runner in runners {
            self.add_runner(runner, &mut found);
        }
        found.into_list()
    }

    fn add_runner(&self, runner: &ReachedRunner, found: &mut FoundFiles) {
        let RunnerPaths { named, files } = runner.list_paths();
        let mut starts = match (runner.folders.is_empty(), &self.workspace) {
            (true, Some(workspace)) => vec![workspace.to_string()],
            _ => runner.folders.clone(),
        };
        let mut named_folders = Vec::new();
        for from in starts.clone() {
            for word in &named {
                push_missing(&mut named_folders, self.find_named_folder(word, &from));
            }
            for word in &files {
                if let Ok(place) = self.files.resolve_path(word, &from) {
                    self.add_file(place.as_str(), found);
                }
            }
        }
        let searched = match (runner.group.below_from, named_folders.is_empty()) {
            (SearchStart::Workspace, _) => {
                self.workspace.as_ref().map_or_else(|| starts.clone(), |w| vec![w.to_string()])
            }
            (SearchStart::Command, true) => starts.clone(),
            (SearchStart::Command, false) => named_folders.clone(),
        };
        for folder in named_folders {
            push_missing(&mut starts, Some(folder));
        }
        starts.truncate(limits::MAX_RUN_FOLDERS);
        for start in starts {
            for folder in self.list_upwards(&start) {
                self.add_folder(&folder, &[runner.group], found);
            }
        }
        if runner.reaches_below {
            for folder in searched {
                self.add_below(&folder, runner.group, found);
            }
        }
    }

    /// The folder that a word names, or that of the file that it names, inside the workspace.
    fn find_named_folder(&self, word: &str, from: &str) -> Option<String> {
        let path = word.split("::").next().unwrap_or(word);
        let place = self.files.resolve_path(path, from).ok()?;
        let is_inside = self.workspace.as_ref().is_none_or(|workspace| place.is_below(workspace));
        let folder = match self.files.read_kind(&place).ok().flatten()? {
            FileKind::Folder => Some(place.as_str()),
            FileKind::Other => place.ancestors().nth(1),
        };
        folder.filter(|_| is_inside).map(str::to_owned)
    }

    /// The folder and those above it, up to the workspace.
    fn list_upwards(&self, folder: &str) -> Vec<String> {
        let Ok(start) = self.files.resolve_path(folder, "/") else { return Vec::new() };
        match &self.workspace {
            Some(workspace) if start.is_below(workspace) => {
                let inside = start.ancestors().map(RealPath::from_text);
                let inside = inside.take_while(|above| above.is_below(workspace));
                inside.take(limits::MAX_RUN_FOLDERS).map(|above| above.to_string()).collect()
            }
            Some(_) | None => vec![start.to_string()],
        }
    }

    fn add_folder(&self, folder: &str, groups: &[&RunFileGroup], found: &mut FoundFiles) {
        let place = RealPath::from_text(folder);
        let names = self.files.list_folder(&place);
        for group in groups {
            let mut wanted: Vec<String> = match &names {
                Ok(names) => names.iter().filter(|name| is_wanted(group, name)).cloned().collect(),
                // What cannot be listed may still be read by name.
                Err(_) => group.files.iter().map(|&name| name.to_owned()).collect(),
            };
            let deeper = group.files.iter().filter(|name| name.contains('/'));
            wanted.extend(deeper.map(|&name| name.to_owned()));
            let prefix = format!("{}/", folder.trim_end_matches('/'));
            let gone = self.known.keys().filter_map(|path| path.strip_prefix(&prefix));
            wanted.extend(gone.filter(|name| is_wanted(group, name)).map(str::to_owned));
            for name in wanted {
                self.add_file(&format!("{prefix}{name}"), found);
            }
        }
    }

    fn add_below(&self, folder: &str, group: &RunFileGroup, found: &mut FoundFiles) {
        let search = search::find_below(self.files, folder, group);
        for path in &search.paths {
            self.add_file(path, found);
        }
        if search.is_cut {
            let content = RunFileContent::TooMany;
            found.add(folder, ReadRunFile { file: describe(folder, content, None), text: None });
        }
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        for path in self.known.keys().filter(|path| path.starts_with(&prefix)) {
            let name = path.rsplit('/').next().unwrap_or_default();
            if search::is_below_name(group, name) {
                self.add_file(path, found);
            }
        }
    }

    fn add_file(&self, path: &str, found: &mut FoundFiles) {
        if found.files.contains_key(path) {
            return;
        }
        let is_known = self.known.contains_key(path);
        if found.files.len() >= limits::MAX_RUN_FILES && !is_known {
            found.is_cut = true;
            return;
        }
        let read = self.read(path);
        if read.file.content != RunFileContent::Absent || is_known {
            found.add(path, read);
        }
    }

    fn read(&self, path: &str) -> ReadRunFile {
        let without_text =
            |content| ReadRunFile { file: describe(path, content, None), text: None };
        let stamp = match self.files.read_stamp(path) {
            Ok(Some(stamp)) if stamp.kind == StampKind::RegularFile => stamp,
            Ok(None) => return without_text(RunFileContent::Absent),
            Ok(Some(stamp)) if stamp.kind == StampKind::Folder => {
                return without_text(RunFileContent::Absent);
            }
            Ok(Some(_)) | Err(_) => return without_text(RunFileContent::Unreadable),
        };
        let bytes = self.files.read_file(path, limits::MAX_PROJECT_FILE_BYTES);
        let Some(text) = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return without_text(RunFileContent::Unreadable);
        };
        let Some(part) = find_executed_part(path, text) else {
            return without_text(RunFileContent::Absent);
        };
        let digest = Sha256::digest(part.as_bytes());
        let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let is_itself = self.files.resolve_path(path, "/").is_ok_and(|real| real.as_str() == path);
        let (seconds, nanoseconds) = stamp.changed;
        let micros = seconds.saturating_mul(1_000_000).saturating_add(nanoseconds / 1_000);
        // The times of a link's target say nothing about the link.
        let changed_at = is_itself.then(|| Time::from_micros(micros));
        ReadRunFile {
            file: describe(path, RunFileContent::Hash(hash), changed_at),
            text: (part.len() <= limits::MAX_COMPARED_BYTES).then_some(part),
        }
    }
}

fn describe(path: &str, content: RunFileContent, changed_at: Option<Time>) -> RunFile {
    RunFile { path: path.to_owned(), content, changed_at, difference: String::new() }
}

fn push_missing(list: &mut Vec<String>, item: Option<String>) {
    list.extend(item.filter(|item| !list.contains(item)));
}

/// Whether a group reads a file of this name.
fn is_wanted(group: &RunFileGroup, name: &str) -> bool {
    let is_configuration = || {
        let (tool, extension) = name.split_once(".config.")?;
        let is_known = CONFIG_EXTENSIONS.contains(&extension) && group.configured.contains(&tool);
        is_known.then_some(())
    };
    group.files.contains(&name) || is_configuration().is_some()
}

/// Whether some program executes what a file of this name says.
pub fn is_run_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends_so = |wanted: &&str| path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'));
    list_run_file_groups().iter().any(|group| {
        is_wanted(group, name)
            || group.files.iter().any(|wanted| wanted.contains('/') && ends_so(wanted))
            || group.below.contains(&name)
    })
}

#[derive(Default)]
struct FoundFiles {
    files: BTreeMap<String, ReadRunFile>,
    is_cut: bool,
}

impl FoundFiles {
    fn add(&mut self, path: &str, read: ReadRunFile) {
        self.files.insert(path.to_owned(), read);
    }

    fn into_list(self) -> Vec<ReadRunFile> {
        let mut list: Vec<ReadRunFile> = self.files.into_values().collect();
        if self.is_cut {
            let file = describe("further files", RunFileContent::TooMany, None);
            list.push(ReadRunFile { file, text: None });
        }
        list
    }
}

#[cfg(test)]
mod tests;
