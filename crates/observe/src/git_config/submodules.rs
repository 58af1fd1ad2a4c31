//! The submodules that are in a repository's index. Git runs itself in each that is checked out, with
//! the configuration that it finds there.

use super::GitError;
use super::files::GitFiles;
use super::index::ObjectNames;
use super::repository::{Repository, join};
use countersign_commands::{GitSetting, find_effective};

/// The paths of a repository's submodules, checked out or not.
pub(super) fn list_submodules(
    files: &GitFiles,
    repository: &Repository,
    settings: &[GitSetting],
) -> Result<Vec<String>, GitError> {
    let Some(worktree) = &repository.worktree else { return Ok(Vec::new()) };
    let format = find_effective(settings, "extensions.objectformat");
    let is_sha256 = format.last().is_some_and(|last| last.value.as_deref() == Some("sha256"));
    let names = if is_sha256 { ObjectNames::Sha256 } else { ObjectNames::Sha1 };
    let path = join(&repository.git_dir, "index");
    let Some(content) = files.read_index(&path, names)? else { return Ok(Vec::new()) };
    if content.is_split {
        return Err(GitError::Form(path));
    }
    Ok(content.submodules.iter().map(|path| join(worktree, path)).collect())
}
