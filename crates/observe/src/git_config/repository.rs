//! Finds the repository of a folder, as git does: upwards, `.git` first, then a bare repository.

use super::GitError;
use super::files::GitFiles;
use crate::file_system::StampKind;
use crate::file_system::git_cache::PathIdentity;
use countersign_commands::Certainty;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) git_dir: String,
    /// The same, unless it is a linked worktree.
    pub(super) common_dir: String,
    pub(super) worktree: Option<String>,
    /// Git refuses some repositories: of another user, on another device, bare ones.
    pub(super) certainty: Certainty,
    pub(super) head: GitHead,
}

/// What `HEAD` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GitHead {
    Branch(String),
    Detached,
    /// It is a link, or the branch is kept elsewhere.
    Unknown,
}

impl Repository {
    pub(super) fn common(&self, name: &str) -> String {
        format!("{}/{name}", self.common_dir)
    }
}

/// The repository of a folder; `None` if there is none.
pub(super) fn find(
    files: &GitFiles,
    folder: &str,
    user: u32,
) -> Result<Option<Repository>, GitError> {
    let device = files.read_identity(folder)?.map(|identity| identity.inode.device);
    for place in list_ancestors(folder) {
        let dot_git = join(place, ".git");
        let found = match files.read_identity(&dot_git)? {
            Some(identity) if identity.kind == StampKind::Folder => {
                let parts = [Some(identity), files.read_identity(place)?];
                let found = open(files, &dot_git)?;
                found.map(|found| found.in_worktree(place, judge_owner(&parts, user, device)))
            }
            Some(identity) if identity.kind == StampKind::RegularFile => {
                let git_dir = read_git_file(files, &dot_git, place)?;
                let found = open(files, &git_dir)?;
                let found = found.ok_or_else(|| GitError::Form(dot_git.clone()))?;
                let parts =
                    [Some(identity), files.read_identity(place)?, files.read_identity(&git_dir)?];
                Some(found.in_worktree(place, judge_owner(&parts, user, device)))
            }
            Some(_) => return Err(GitError::Form(dot_git)),
            None => open(files, place)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Whether git certainly accepts a repository of these parts. It may accept others: `safe.directory`
/// names repositories of other users, and a variable lets it look on other devices.
fn judge_owner(parts: &[Option<PathIdentity>], user: u32, device: Option<u64>) -> Certainty {
    let is_own = |part: &Option<PathIdentity>| {
        part.is_some_and(|part| part.owner == user && Some(part.inode.device) == device)
    };
    if parts.iter().all(is_own) { Certainty::Certain } else { Certainty::Possible }
}

impl Repository {
    fn in_worktree(mut self, worktree: &str, certainty: Certainty) -> Self {
        self.worktree = Some(worktree.to_owned());
        self.certainty = certainty;
        self
    }
}

/// The repository in a folder, if git recognises it as one.
fn open(files: &GitFiles, git_dir: &str) -> Result<Option<Repository>, GitError> {
    let path = join(git_dir, "HEAD");
    if files.read_identity(&path)?.is_none() {
        return match files.is_dangling(&path)? {
            true => Err(GitError::Form(path)),
            false => Ok(None),
        };
    }
    let common_dir = match files.read_text(&join(git_dir, "commondir"))? {
        Some(text) => files.resolve(text.trim_end_matches(['\n', '\r']), git_dir)?,
        None => git_dir.to_owned(),
    };
    for name in ["objects", "refs"] {
        let found = files.read_identity(&join(&common_dir, name))?;
        if found.is_none_or(|found| found.kind != StampKind::Folder) {
            return Ok(None);
        }
    }
    let Some(text) = files.read_text(&path)? else { return Ok(None) };
    let head = parse_head(&text).ok_or(GitError::Form(path))?;
    let (git_dir, certainty) = (git_dir.to_owned(), Certainty::Possible);
    Ok(Some(Repository { git_dir, common_dir, worktree: None, certainty, head }))
}

fn parse_head(text: &str) -> Option<GitHead> {
    let text = text.trim_end();
    let Some(target) = text.strip_prefix("ref:") else {
        let is_id = text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
        return is_id.then_some(GitHead::Detached);
    };
    let target = target.trim_start();
    match target.strip_prefix("refs/heads/") {
        // With `reftable` the branch is in another file.
        Some(".invalid") => Some(GitHead::Unknown),
        Some(branch) => Some(GitHead::Branch(branch.to_owned())),
        None => target.starts_with("refs/").then_some(GitHead::Unknown),
    }
}

/// Follows a `.git` file to the repository that it names.
fn read_git_file(files: &GitFiles, path: &str, folder: &str) -> Result<String, GitError> {
    let malformed = || GitError::Form(path.to_owned());
    let text = files.read_text(path)?.ok_or_else(malformed)?;
    let target = text.strip_prefix("gitdir: ").ok_or_else(malformed)?;
    files.resolve(target.trim_end_matches(['\n', '\r']), folder)
}

/// A folder and every folder above it, `/` last.
fn list_ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |path| match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    })
}

pub(super) fn join(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}
