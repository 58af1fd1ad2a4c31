//! Where the `cd` of a line lead.

use crate::context::{CommandContext, PathEntry, is_below, is_plain_path, normalize};
use crate::covering::{Covering, FolderLocation};
use crate::strict::Segment;
use crate::working_folders::{FolderFlow, FolderSet};
use crate::written_paths::WrittenPaths;

/// Where the walk is in the line.
#[derive(Clone)]
pub(super) struct LinePosition {
    pub(super) flow: FolderFlow,
    pub(super) written: WrittenPaths,
    /// A `cd` led through a link, so `cd ..` leads to another folder than its text says.
    pub(super) is_linked: bool,
    pub(super) has_changed_folder: bool,
    /// It is a part of a pipe, and some shells run that in a process of its own.
    pub(super) is_piped: bool,
}

/// The existing folder that a `cd` leads to.
pub(super) struct FolderTarget {
    pub(super) folders: FolderSet,
    pub(super) location: FolderLocation,
    word: String,
}

impl FolderTarget {
    /// Rules cover only a `cd` into the workspace. Outside, classes of reading commands go on.
    pub(super) fn cover(self) -> Result<Covering, String> {
        match self.location {
            FolderLocation::Inside => Ok(Covering::FolderChange),
            FolderLocation::Outside => {
                Err(format!("`{}` is not an existing folder inside the workspace", self.word))
            }
        }
    }
}

/// Where a `cd` leads, if that is an existing folder from everywhere.
pub(super) fn find_target(
    context: &CommandContext,
    segment: &Segment,
    folders: &FolderSet,
    state: &mut LinePosition,
) -> Result<FolderTarget, String> {
    let [_, target] = segment.argv.as_slice() else {
        return Err("`cd` is covered with one folder and no options".to_owned());
    };
    let is_known = segment.has_only_words() && segment.named_folders.is_empty();
    if !is_known || !is_plain_path(target) {
        return Err("`cd` is covered with one folder and no options".to_owned());
    }
    let outside = || format!("`{target}` is not an existing folder inside the workspace");
    let goes_up = !target.starts_with('/') && target.split('/').any(|part| part == "..");
    let mut found = FolderSet::default();
    let mut location = FolderLocation::Inside;
    if folders.is_open && !target.starts_with('/') {
        return Err(outside());
    }
    for folder in &folders.known {
        let from = FolderSet::new(Some(folder));
        let places = context.find_certain(target, &from).ok_or_else(outside)?;
        let [place] = places.as_slice() else { return Err(outside()) };
        if context.find_inside(target, &from).is_none() {
            location = FolderLocation::Outside;
        }
        if context.disk.read_entry(target, Some(folder)) != PathEntry::Folder {
            return Err(outside());
        }
        if state.written.covers(place) {
            return Err(format!("an earlier command may have replaced `{target}`"));
        }
        if goes_up && (state.is_linked || leaves_first_folder(context, target, folder)) {
            return Err(format!("`cd {target}` goes up from a folder that may be a link"));
        }
        state.is_linked |= normalize(target, Some(folder)) != *place;
        found.add(place.clone());
    }
    Ok(FolderTarget { folders: found, location, word: target.clone() })
}

/// Whether a path goes up beyond the folder in which the line starts. The shell may have entered
/// that folder by a link, and then goes up to where the link is.
fn leaves_first_folder(context: &CommandContext, target: &str, folder: &str) -> bool {
    let Some(first) = context.cwd.filter(|first| is_below(folder, first)) else {
        return false;
    };
    let count = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let mut depth = count(folder).saturating_sub(count(first));
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}
