//! Replaces the folders that a line names without their paths: `~`, `$PWD`, and the folder of the
//! repository.
//!
//! What they stand for is looked up from where the command runs, and never taken from an environment.
//! What nobody knows stays as it is written, and then no rule covers the command.
//!
//! See docs/decisions/0115-groups-conditions-and-named-folders.md.

use super::folder_changes::LinePosition;
use crate::context::CommandContext;
use crate::git_configuration::GitReading;
use crate::strict::{FolderName, FolderUse, FolderUseAt, Segment, Splitting};
use crate::written_paths::WrittenPaths;

pub(super) fn replace_named_folders(
    context: &CommandContext,
    segment: &mut Segment,
    state: &LinePosition,
) {
    let mut unknown = Vec::new();
    for found in std::mem::take(&mut segment.named_folders) {
        let path = find_named_folder(context, &found, state);
        let text = match found.at {
            FolderUseAt::Word(at) => segment.argv.get_mut(at),
            FolderUseAt::Assignment(at) => {
                segment.assignments.get_mut(at).map(|assignment| &mut assignment.value)
            }
        };
        match (path, text) {
            (Some(path), Some(text)) => *text = path,
            _ => unknown.push(found),
        }
    }
    segment.named_folders = unknown;
}

fn find_named_folder(
    context: &CommandContext,
    found: &FolderUse,
    state: &LinePosition,
) -> Option<String> {
    let folders = state.flow.folders();
    let goes_up = found.rest.split('/').any(|part| part == "..");
    let current = match folders.known.as_slice() {
        [folder] if !folders.is_open => Some(folder.as_str()),
        _ => None,
    };
    let folder = match found.folder {
        FolderName::Home => context.disk.find_home()?,
        // Behind a link, the shell has another name for the folder, and another folder above it.
        FolderName::Current if state.is_linked || goes_up => return None,
        FolderName::Current => current?.to_owned(),
        // An earlier command may have made another repository.
        FolderName::Repository if state.written != WrittenPaths::default() => return None,
        FolderName::Repository => find_worktree(context, current?)?,
    };
    let is_split = found.splitting == Splitting::AtBlanks && !folder.bytes().all(is_unsplit);
    let path = match folder.as_str() {
        // A shell would write `//x`, which leads to the same place.
        "/" if !found.rest.is_empty() => found.rest.clone(),
        folder => format!("{folder}{}", found.rest),
    };
    (!is_split).then_some(path)
}

fn find_worktree(context: &CommandContext, folder: &str) -> Option<String> {
    match context.disk.read_git_configuration(folder) {
        GitReading::Known(configuration) => configuration.worktree().map(str::to_owned),
        GitReading::NotConsulted | GitReading::Unreadable { .. } => None,
    }
}

/// Whether a shell neither splits a path at this byte nor takes it for a pattern.
const fn is_unsplit(byte: u8) -> bool {
    matches!(byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9'
        | b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b',')
}
