//! Searches what a program opens below a folder for secret files. The number of names is bounded.
//!
//! See docs/decisions/0118-narrowed-calls.md.

use crate::file_system::{FileSystem, FolderEntry, FolderEntryKind, LookupError};
use crate::ignored::is_ignored;
use crate::limits;
use crate::real_path::RealPath;
use countersign_commands::{
    FolderWalk, LinkUse, NameVerdict, SearchExtent, SecretFile, SecretsBelow, WalkEntry,
    matches_glob,
};
use countersign_graph::places::{PlaceBases, PlacePatterns};

/// Folders that tools fill: what is in them can be made again, and is nobody's secret. Git keeps no
/// secret by these names.
const GENERATED_FOLDERS: &[&str] =
    &["node_modules", "target", "__pycache__", ".venv", "venv", ".git"];

/// The secret files that a program opens below a resolved folder. What cannot be searched makes the
/// search partial.
pub fn find_secrets_below(
    files: &dyn FileSystem,
    patterns: &PlacePatterns,
    bases: &PlaceBases<'_>,
    (root, walk): (&str, &FolderWalk),
) -> SecretsBelow {
    let found = SecretsBelow::default();
    let mut search = SecretSearch {
        files,
        patterns,
        bases,
        walk,
        root,
        searched: 0,
        folders: Vec::new(),
        found,
    };
    let is_folder = files.read_entry_kind(root) == Some(FolderEntryKind::Folder);
    // A file, and a folder that is a secret as a whole, are named by the command itself.
    if is_folder && patterns.find_secret_name(root, bases).is_none() {
        search.folders.push(root.to_owned());
    }
    while let Some(folder) = search.folders.pop() {
        if search.search_folder(&folder).is_err() {
            search.found.extent = SearchExtent::Partial;
            break;
        }
    }
    search.found
}

struct SecretSearch<'a> {
    files: &'a dyn FileSystem,
    patterns: &'a PlacePatterns,
    bases: &'a PlaceBases<'a>,
    walk: &'a FolderWalk,
    root: &'a str,
    searched: usize,
    folders: Vec<String>,
    found: SecretsBelow,
}

impl SecretSearch<'_> {
    fn search_folder(&mut self, folder: &str) -> Result<(), LookupError> {
        for entry in self.files.list_entries(&RealPath::from_text(folder))? {
            self.searched += 1;
            if self.searched > limits::MAX_READ_NAMES {
                return Err(LookupError::TooManyFiles(self.root.to_owned()));
            }
            let path = format!("{}/{}", folder.trim_end_matches('/'), entry.name);
            match entry.kind {
                FolderEntryKind::File => self.check_entry(&entry, path, WalkEntry::File),
                FolderEntryKind::Folder => self.check_entry(&entry, path, WalkEntry::Folder),
                FolderEntryKind::Link => self.check_link(&entry, &path),
            }
        }
        Ok(())
    }

    /// A link counts as what it leads to, where links are followed.
    fn check_link(&mut self, entry: &FolderEntry, path: &str) {
        if self.walk.links == LinkUse::Skipped {
            return;
        }
        let Ok(target) = self.files.resolve_path(path, "/") else { return };
        let kind = match self.files.read_entry_kind(target.as_str()) {
            Some(FolderEntryKind::Folder) => WalkEntry::Folder,
            Some(FolderEntryKind::File) => WalkEntry::File,
            Some(FolderEntryKind::Link) | None => return,
        };
        self.check_entry(entry, target.to_string(), kind);
    }

    fn check_entry(&mut self, entry: &FolderEntry, path: String, kind: WalkEntry) {
        let verdict = self.walk.filter.judge(&entry.name, kind);
        let is_hidden = entry.name.starts_with('.') && self.walk.scope.skips_hidden();
        let is_generated = || GENERATED_FOLDERS.contains(&entry.name.as_str());
        if verdict == NameVerdict::Skipped
            || (is_hidden && verdict != NameVerdict::Named)
            || (kind == WalkEntry::Folder && is_generated())
        {
            return;
        }
        let is_added = self.walk.added.iter().any(|glob| matches_glob(glob, &entry.name));
        let name = path.rsplit('/').next().unwrap_or_default();
        let may_match = self.patterns.may_end_at(&entry.name) || self.patterns.may_end_at(name);
        let glob = match may_match {
            true => self.patterns.find_secret_name(&path, self.bases),
            false => None,
        };
        match (glob, is_added) {
            (Some(_), true) => {}
            (Some(glob), false) => self.add_secret(path, kind, (glob, verdict)),
            (None, true) => self.found.lost += 1,
            (None, false) if kind == WalkEntry::Folder => self.folders.push(path),
            (None, false) => {}
        }
    }

    /// Whether the patterns of the program leave out everything in a secret folder.
    fn leaves_out_folder(&mut self, folder: &str) -> bool {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = self.files.list_entries(&RealPath::from_text(&folder)) else {
                return false;
            };
            self.searched += entries.len();
            if self.searched > limits::MAX_READ_NAMES {
                return false;
            }
            for entry in entries {
                let kind = match entry.kind {
                    FolderEntryKind::Folder => WalkEntry::Folder,
                    FolderEntryKind::File | FolderEntryKind::Link => WalkEntry::File,
                };
                match (self.walk.filter.judge(&entry.name, kind), kind) {
                    (NameVerdict::Skipped, _) => {}
                    (_, WalkEntry::File) => return false,
                    (_, WalkEntry::Folder) => folders.push(format!("{folder}/{}", entry.name)),
                }
            }
        }
        true
    }

    fn add_secret(
        &mut self,
        path: String,
        kind: WalkEntry,
        (glob, verdict): (String, NameVerdict),
    ) {
        let may_be_ignored = self.walk.scope.skips_ignored() && verdict != NameVerdict::Named;
        let is_left_out = kind == WalkEntry::Folder
            && self.walk.filter.opens_only_named()
            && self.leaves_out_folder(&path);
        if is_left_out || (may_be_ignored && is_ignored(self.files, &path)) {
            return;
        }
        self.found.count += 1;
        if self.found.files.len() < countersign_commands::limits::MAX_NAMED_SECRETS {
            let root = self.root.trim_end_matches('/');
            let below = path.strip_prefix(root).map(|rest| rest.trim_start_matches('/'));
            let path = below.filter(|rest| !rest.is_empty()).unwrap_or(&path).to_owned();
            self.found.files.push(SecretFile { path, kind, glob });
        }
    }
}
