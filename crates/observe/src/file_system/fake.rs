//! A file system for tests and stories: its only content is the links that a caller adds.

use super::{FileKind, FileSystem, LookupError};
use crate::program::{ProgramIdentity, Protection};
use crate::real_path::{EntryKind, RealPath, resolve_path};
use std::collections::BTreeMap;

/// Every path that is not an added link is a folder. Every program is a protected file in
/// `/usr/bin`.
#[derive(Clone, Debug)]
pub struct FakeFileSystem {
    links: BTreeMap<String, String>,
}

impl FakeFileSystem {
    pub const fn without_links() -> Self {
        Self { links: BTreeMap::new() }
    }

    /// Adds a link; `path` is absolute and leads through no other link.
    pub fn with_link(mut self, path: &str, target: &str) -> Self {
        self.links.insert(path.to_owned(), target.to_owned());
        self
    }
}

impl FileSystem for FakeFileSystem {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        resolve_path(path, cwd, &mut |path| {
            let target = self.links.get(path);
            Ok(target.map_or(EntryKind::Folder, |target| EntryKind::Link(target.clone())))
        })
    }

    fn read_kind(&self, _: &RealPath) -> Result<Option<FileKind>, LookupError> {
        Ok(Some(FileKind::Folder))
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        let path = if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") };
        let path = self.resolve_path(&path, cwd)?;
        let found_at = path.to_string();
        Ok(ProgramIdentity { path, found_at, protection: Protection::Protected, inode: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: FakeFileSystem = FakeFileSystem::without_links();

    fn resolve(files: &FakeFileSystem, path: &str) -> Result<String, LookupError> {
        files.resolve_path(path, "/w").map(|real| real.to_string())
    }

    #[test]
    fn without_links_the_text_of_a_path_says_where_it_leads() {
        for (path, expected) in [
            ("a", "/w/a"),
            ("./a//b/", "/w/a/b"),
            ("../x", "/x"),
            ("../../../x", "/x"),
            ("/", "/"),
            ("/a/./b/..", "/a"),
            ("~/x", "/w/~/x"),
        ] {
            assert_eq!(resolve(&EMPTY, path), Ok(expected.to_owned()), "{path}");
        }
        assert_eq!(resolve(&EMPTY, ""), Err(LookupError::Empty));
        assert_eq!(resolve(&EMPTY, "a\0b"), Err(LookupError::Nul));
        assert_eq!(resolve(&EMPTY, &"a/".repeat(3000)), Err(LookupError::TooLong));
    }

    #[test]
    fn a_relative_path_needs_an_absolute_working_directory() {
        let error = LookupError::RelativeCwd("w".to_owned());
        assert_eq!(EMPTY.resolve_path("a", "w"), Err(error));
    }

    #[test]
    fn an_added_link_is_followed() {
        let files = FakeFileSystem::without_links()
            .with_link("/w/out", "/etc")
            .with_link("/w/up", "../x/y")
            .with_link("/w/me", "me");
        for (path, expected) in
            [("out/passwd", "/etc/passwd"), ("out/..", "/"), ("up/../z", "/x/z")]
        {
            assert_eq!(resolve(&files, path), Ok(expected.to_owned()), "{path}");
        }
        assert_eq!(resolve(&files, "me"), Err(LookupError::TooManyLinks));
    }
}
