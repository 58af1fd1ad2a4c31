//! Every file of the repository, read once. One that is no text counts as empty.
//!
//! The folders are walked rather than asked from git: a fresh copy may belong to another user,
//! and git then refuses to answer.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::Path;

pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    pub text: String,
}

const SKIPPED: &[&str] = &[".git", "target", "node_modules", "mutants.out", "mutants.out.old"];

impl File {
    #[cfg(test)]
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Lines with their number, beginning at 1.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(super) fn is_page(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Rust that ships or checks: `crates/*/src` and `xtask/src`.
    pub(super) fn is_source(&self) -> bool {
        self.source_folder().is_some()
    }

    /// The folder of the sources of its crate, such as `crates/core/src/`.
    pub(crate) fn source_folder(&self) -> Option<&str> {
        let depth = if self.path.starts_with("crates/") { 2 } else { 1 };
        let (at, _) = self.path.match_indices('/').nth(depth)?;
        let folder = self.path.get(..=at)?;
        let is_known = folder.starts_with("crates/") || folder.starts_with("xtask/");
        (is_known && folder.ends_with("/src/") && self.is_rust()).then_some(folder)
    }
}

/// The sources of each crate, by the folder of its sources.
pub(crate) fn group_by_crate(files: &[File]) -> BTreeMap<&str, Vec<&File>> {
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        if let Some(source) = file.source_folder() {
            crates.entry(source).or_default().push(file);
        }
    }
    crates
}

pub fn all(root: &Path) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    walk(root, "", &mut files).map_err(|error| {
        Failure::new(format!("cannot read the files of the repository: {error}"))
    })?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            // What is not UTF-8 is no text: a picture has no habits, but pages lead to it.
            let text = String::from_utf8(std::fs::read(entry.path())?).unwrap_or_default();
            files.push(File { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_finds_this_file_and_nothing_that_was_built() {
        let files = all(&crate::steps::root()).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/files.rs"));
        assert!(!files.iter().any(|file| file.path.starts_with("target/")));
    }

    #[test]
    fn sources_are_told_from_tests() {
        assert!(File::new("crates/core/src/state/a.rs", "").is_source());
        assert!(File::new("xtask/src/main.rs", "").is_source());
        assert!(!File::new("crates/core/tests/src/a.rs", "").is_source());
        assert!(!File::new("crates/core/src/a.md", "").is_source());
    }
}
