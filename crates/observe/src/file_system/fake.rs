//! A file system for tests and stories: its only content is the links and files that a caller adds.

use super::{
    EntryKind, FileKind, FileStamp, FileSystem, Inode, LookupError, ProgramIdentity, Protection,
    StampKind, resolve_path,
};
use crate::real_path::RealPath;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;

/// Every path that is not an added link or file is a folder. Every program is a protected file in
/// `/usr/bin`. Git finds only the added files, and the folders above them; root owns everything.
#[derive(Clone, Debug)]
pub struct FakeFileSystem {
    links: BTreeMap<String, String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl FakeFileSystem {
    pub const fn without_links() -> Self {
        Self { links: BTreeMap::new(), files: BTreeMap::new() }
    }

    /// Adds a link; `path` is absolute and leads through no other link.
    pub fn with_link(mut self, path: &str, target: &str) -> Self {
        self.links.insert(path.to_owned(), target.to_owned());
        self
    }

    /// Adds a file, or replaces it; `path` is absolute and leads through no link.
    pub fn with_file(mut self, path: &str, content: &str) -> Self {
        self.files.insert(path.to_owned(), content.as_bytes().to_vec());
        self
    }
}

impl FakeFileSystem {
    fn names_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let below = self.files.keys().filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<String> =
            below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        names.dedup();
        names
    }
}

impl FileSystem for FakeFileSystem {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        resolve_path(path, cwd, &mut |path| {
            let target = self.links.get(path);
            Ok(target.map_or(EntryKind::Folder, |target| EntryKind::Link(target.clone())))
        })
    }

    fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    fn read_kind(&self, _: &RealPath) -> Result<Option<FileKind>, LookupError> {
        Ok(Some(FileKind::Folder))
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        let (kind, state): (_, &dyn Fn(&mut DefaultHasher)) = match self.files.get(path) {
            Some(content) => (StampKind::RegularFile, &|hasher| content.hash(hasher)),
            None => {
                let names = self.names_below(path);
                match names.is_empty() {
                    true => return Ok(None),
                    false => (StampKind::Folder, &move |hasher| names.hash(hasher)),
                }
            }
        };
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        let inode = Inode { device: 1, number: hasher.finish() };
        state(&mut hasher);
        let modified = (i64::from_ne_bytes(hasher.finish().to_ne_bytes()), 0);
        let (owner, mode, size) = (0, 0o755, 0);
        Ok(Some(FileStamp { inode, kind, owner, mode, size, modified, changed: (0, 0) }))
    }

    fn is_settled(&self, _: &FileStamp) -> bool {
        true
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        let missing = || LookupError::Unreadable(path.to_owned(), ErrorKind::NotFound);
        let content = self.files.get(path).ok_or_else(missing)?;
        match u64::try_from(content.len()) {
            Ok(length) if length <= max_bytes => Ok(content.clone()),
            _ => Err(LookupError::TooLarge(path.to_owned())),
        }
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        Ok(self.names_below(folder.as_str()))
    }

    fn agent_user(&self) -> Option<u32> {
        Some(0)
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
