//! Whether git ignores a path and tracks nothing of it, so that a build can make it again.
//!
//! Patterns that are not understood ignore nothing, and what cannot be read counts as tracked.
//!
//! See docs/decisions/0108-deleting-what-git-ignores.md.

use crate::file_system::FileSystem;
use crate::git_config::tracks_path;
use crate::limits;

/// Whether a resolved path is ignored by the repository that it lies in, and nothing of it is tracked.
pub(crate) fn is_ignored(files: &dyn FileSystem, path: &str) -> bool {
    let Some(root) = find_root(files, path) else { return false };
    let Some(relative) = path.strip_prefix(&format!("{}/", root.trim_end_matches('/'))) else {
        return false;
    };
    let names: Vec<&str> = relative.split('/').collect();
    if names.iter().any(|name| *name == ".git" || name.is_empty()) {
        return false;
    }
    // A folder that is ignored hides everything below it.
    let is_hidden = (1..=names.len()).any(|end| {
        let upper = names.get(..end).unwrap_or_default();
        matches_patterns(files, &root, upper)
    });
    is_hidden && is_untracked(files, &root, relative)
}

/// The closest folder above the path that has a `.git`.
fn find_root(files: &dyn FileSystem, path: &str) -> Option<String> {
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        let root = if above.is_empty() { "/" } else { above };
        let git = format!("{}/.git", above);
        if files.read_stamp(&git).ok().flatten().is_some() {
            return Some(root.to_owned());
        }
        folder = above;
    }
    None
}

/// Whether the last pattern that matches says so.
fn matches_patterns(files: &dyn FileSystem, root: &str, names: &[&str]) -> bool {
    let mut is_ignored = false;
    for depth in 0..names.len() {
        let (above, below) = names.split_at_checked(depth).unwrap_or_default();
        let folder = [&[root.trim_end_matches('/')], above].concat().join("/");
        let content =
            files.read_file(&format!("{folder}/.gitignore"), limits::MAX_PROJECT_FILE_BYTES);
        let Ok(content) = content else { continue };
        for line in String::from_utf8_lossy(&content).lines() {
            if let Some(verdict) = read_pattern(line, below) {
                is_ignored = verdict;
            }
        }
    }
    is_ignored
}

/// What one line says about the names below its folder; `None` if it does not match.
fn read_pattern(line: &str, names: &[&str]) -> Option<bool> {
    let line = line.trim_end();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (pattern, ignores) = match line.strip_prefix('!') {
        Some(pattern) => (pattern, false),
        None => (line, true),
    };
    if pattern.contains(['[', '\\']) {
        // Not understood: it ignores nothing, and may take back anything.
        return (!ignores).then_some(false);
    }
    let pattern = pattern.trim_end_matches('/');
    let parts: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
    let matched = match pattern.contains('/') {
        true => matches_names(&parts, names),
        false => names.last().is_some_and(|name| matches_name(pattern, name)),
    };
    matched.then_some(ignores)
}

fn matches_names(parts: &[&str], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            (0..=names.len()).any(|at| matches_names(rest, names.get(at..).unwrap_or_default()))
        }
        (Some((part, parts)), Some((name, names))) => {
            matches_name(part, name) && matches_names(parts, names)
        }
        (_, _) => false,
    }
}

/// `*` is any text and `?` any character of a name.
fn matches_name(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            starts
                .into_iter()
                .any(|at| matches_name(rest.as_str(), name.get(at..).unwrap_or_default()))
        }
        Some(c) => {
            let mut other = name.chars();
            other.next().is_some_and(|found| c == '?' || c == found)
                && matches_name(rest.as_str(), other.as_str())
        }
    }
}

/// Whether the index names nothing at or below the path.
fn is_untracked(files: &dyn FileSystem, root: &str, relative: &str) -> bool {
    let git = format!("{}/.git", root.trim_end_matches('/'));
    let pointer = files.read_file(&git, limits::MAX_GIT_CONFIG_BYTES).ok();
    let pointer = pointer.and_then(|bytes| String::from_utf8(bytes).ok());
    let folder = match pointer.as_deref().and_then(|text| text.trim().strip_prefix("gitdir:")) {
        Some(folder) if folder.trim().starts_with('/') => folder.trim().to_owned(),
        Some(_) => return false,
        None => git,
    };
    let index = format!("{folder}/index");
    match files.read_stamp(&index) {
        Ok(None) => true,
        Ok(Some(_)) => files
            .read_file(&index, limits::MAX_GIT_INDEX_BYTES)
            .is_ok_and(|bytes| tracks_path(&bytes, relative) == Some(false)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeFileSystem;

    #[test]
    fn what_git_ignores_and_does_not_track_is_ignored() {
        let files = FakeFileSystem::without_links()
            .with_file("/w/.git/HEAD", "ref: refs/heads/main")
            .with_file(
                "/w/.gitignore",
                "# made\n/target\nnode_modules/\n*.log\n!keep.log\na/**/out\n[x]y\n",
            )
            .with_file("/w/web/.gitignore", "dist\n");
        for path in [
            "/w/target",
            "/w/target/debug/x",
            "/w/node_modules",
            "/w/web/node_modules/p",
            "/w/x.log",
            "/w/web/dist",
            "/w/a/b/c/out",
            "/w/a/out",
        ] {
            assert!(is_ignored(&files, path), "{path}");
        }
        for path in [
            "/w",
            "/w/src",
            "/w/dist",
            "/w/keep.log",
            "/w/web/target",
            "/w/xy",
            "/w/.git",
            "/v/target",
            "/w/.git/target",
        ] {
            assert!(!is_ignored(&files, path), "{path}");
        }
        // An index that cannot be read may track it.
        assert!(!is_ignored(&files.with_file("/w/.git/index", "?"), "/w/target"));
    }
}
