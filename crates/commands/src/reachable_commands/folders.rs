//! Where the commands of a line lead that change the folder.

use super::{CdReading, CommandSearch, skip_prefixes};
use crate::context::{PathEntry, ResolvedPath, normalize};
use crate::loose::{self, Word};
use crate::working_folders::{ChangeCertainty, FolderChange, FolderSet};

impl CommandSearch<'_> {
    /// `-C DIR` and its like change the folder of one command; a second one starts there.
    pub(super) fn add_option_folders(&self, words: &[Word], folders: &FolderSet) -> FolderSet {
        let mut found = folders.clone();
        for (index, word) in words.iter().enumerate() {
            let text = word.text.as_str();
            let target = match text.split_once('=') {
                Some(("--directory" | "--chdir" | "-C", target)) => Some(target),
                _ if matches!(text, "-C" | "--directory" | "--chdir" | "-D") => {
                    words.get(index + 1).map(|word| word.text.as_str())
                }
                _ => None,
            };
            if let Some(target) = target {
                found = found.clone().union(&self.resolve_folders(target, &found).0);
            }
        }
        found
    }

    /// Where a command leads that changes the folder.
    pub(super) fn find_change(&self, words: &[Word], folders: &FolderSet) -> Option<FolderChange> {
        let words = skip_prefixes(words);
        let words = match words.first().map(|word| word.text.as_str()) {
            Some("builtin" | "command") => words.get(1..).unwrap_or_default(),
            _ => words,
        };
        let (program, rest) = words.split_first()?;
        match program.text.to_ascii_lowercase().as_str() {
            "cd" | "chdir" | "pushd" | "set-location" | "sl" => {}
            "popd" => {
                let (to, certainty) = (FolderSet::unknown(), ChangeCertainty::MayFail);
                return Some(FolderChange { to: to.union(folders), certainty });
            }
            _ => return None,
        }
        let target = rest.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
        let target = target.map_or("~", |word| word.text.as_str());
        let is_known = rest.len() <= 1
            && rest.iter().all(|word| word.is_literal() || word.text.starts_with('~'))
            && !target.contains(loose::UNKNOWN_VALUE)
            && target != "-"
            && self.changes == CdReading::ByPath;
        let (mut to, certainty) = self.resolve_folders(target, folders);
        let follows = !is_known && self.visitor.follows_values();
        for reading in rest.iter().filter(|_| follows).flat_map(Word::list_readings) {
            to = to.union(&self.resolve_folders(&reading, folders).0);
        }
        Some(match is_known {
            true => FolderChange { to, certainty },
            false => FolderChange {
                to: to.union(&FolderSet::unknown()),
                certainty: ChangeCertainty::MayFail,
            },
        })
    }

    /// The folders that a path leads to, by the kernel and by the text.
    fn resolve_folders(&self, target: &str, folders: &FolderSet) -> (FolderSet, ChangeCertainty) {
        let mut found = FolderSet { known: Vec::new(), is_open: folders.is_open };
        let mut certainty = ChangeCertainty::Succeeds;
        if target.contains(loose::UNKNOWN_VALUE) {
            return (FolderSet::unknown(), ChangeCertainty::MayFail);
        }
        for folder in &folders.known {
            let folder = Some(folder.as_str());
            match self.context.disk.resolve_path(target, folder) {
                ResolvedPath::At(places) => places.into_iter().for_each(|place| found.add(place)),
                ResolvedPath::Unresolvable(places) => {
                    places.into_iter().for_each(|place| found.add(place));
                    found.is_open = true;
                }
                ResolvedPath::Unknown => {}
            }
            found.add(normalize(target, folder));
            if self.context.disk.read_entry(target, folder) != PathEntry::Folder {
                certainty = ChangeCertainty::MayFail;
            }
        }
        if folders.known.is_empty() && target.starts_with('/') {
            found.add(normalize(target, None));
            certainty = ChangeCertainty::MayFail;
        }
        (found, certainty)
    }
}
