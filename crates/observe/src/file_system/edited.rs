//! A file system with files that a caller writes or removes while it is in use: a story changes them
//! step by step, and a replay of calls carries out the edits that it only reads about.

use super::{
    FileIdentity, FileKind, FileStamp, FileSystem, GitCache, Inode, LookupError, ProgramIdentity,
    StampKind,
};
use crate::real_path::RealPath;
use countersign_commands::ProgramHash;
use countersign_core::model::time::Time;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::sync::{Arc, PoisonError, RwLock};

/// The files that were written on top of another file system, by their paths. `None` was removed.
#[derive(Clone, Debug, Default)]
pub struct FileEdits(Arc<RwLock<BTreeMap<String, Option<EditedFile>>>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct EditedFile {
    content: Vec<u8>,
    at: Time,
}

impl FileEdits {
    /// Writes a file; `path` is absolute and leads through no link.
    pub fn write(&self, path: &str, content: &str, at: Time) {
        let file = EditedFile { content: content.as_bytes().to_vec(), at };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), Some(file));
    }

    pub fn remove(&self, path: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), None);
    }

    /// The text of a file that was written.
    pub fn read(&self, path: &str) -> Option<String> {
        let file = self.find(path).flatten()?;
        String::from_utf8(file.content).ok()
    }

    /// Forgets every edit.
    pub fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn find(&self, path: &str) -> Option<Option<EditedFile>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The names in a folder: whether each is a file that exists, or a folder above one.
    fn names_in(&self, folder: &str) -> BTreeMap<String, bool> {
        let prefix = format!("{}/", folder.trim_end_matches('/'));
        let edits = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut names = BTreeMap::new();
        for (path, file) in edits.iter() {
            let Some(rest) = path.strip_prefix(&prefix) else { continue };
            let (name, is_below) = match rest.split_once('/') {
                Some((name, _)) => (name, true),
                None => (rest, false),
            };
            let exists = file.is_some();
            match is_below {
                true if !exists => {}
                true | false => {
                    let known = names.entry(name.to_owned()).or_insert(exists);
                    *known |= exists;
                }
            }
        }
        names
    }
}

/// Another file system with these edits.
pub struct EditedFileSystem {
    inner: Box<dyn FileSystem>,
    edits: FileEdits,
}

impl EditedFileSystem {
    pub fn new(inner: Box<dyn FileSystem>, edits: FileEdits) -> Self {
        Self { inner, edits }
    }
}

impl FileSystem for EditedFileSystem {
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError> {
        self.inner.resolve_path(path, cwd)
    }

    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError> {
        self.inner.find_program(name, cwd)
    }

    fn read_identity(&self, path: &str) -> Result<Option<FileIdentity>, LookupError> {
        self.inner.read_identity(path)
    }

    fn read_kind(&self, path: &RealPath) -> Result<Option<FileKind>, LookupError> {
        match self.edits.find(path.as_str()) {
            Some(file) => Ok(file.map(|_| FileKind::Other)),
            None => self.inner.read_kind(path),
        }
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Vec<String>, LookupError> {
        let edited = self.edits.names_in(folder.as_str());
        let mut names = match self.inner.list_folder(folder) {
            Err(error) if edited.is_empty() => return Err(error),
            names => names.unwrap_or_default(),
        };
        names.retain(|name| !edited.contains_key(name));
        names.extend(edited.into_iter().filter_map(|(name, exists)| exists.then_some(name)));
        Ok(names)
    }

    fn read_stamp(&self, path: &str) -> Result<Option<FileStamp>, LookupError> {
        let Some(file) = self.edits.find(path) else {
            let is_folder = self.edits.names_in(path).values().any(|exists| *exists);
            return match self.inner.read_stamp(path) {
                Ok(None) | Err(_) if is_folder => Ok(Some(make_stamp(path, None))),
                stamp => stamp,
            };
        };
        Ok(file.map(|file| make_stamp(path, Some(&file))))
    }

    fn is_settled(&self, stamp: &FileStamp) -> bool {
        self.inner.is_settled(stamp)
    }

    fn read_file(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, LookupError> {
        match self.edits.find(path) {
            None => self.inner.read_file(path, max_bytes),
            Some(None) => Err(LookupError::Unreadable(path.to_owned(), ErrorKind::NotFound)),
            Some(Some(file)) => match u64::try_from(file.content.len()) {
                Ok(length) if length <= max_bytes => Ok(file.content),
                _ => Err(LookupError::TooLarge(path.to_owned())),
            },
        }
    }

    fn hash_file(&self, path: &RealPath) -> Result<ProgramHash, String> {
        self.inner.hash_file(path)
    }

    fn agent_user(&self) -> Option<u32> {
        self.inner.agent_user()
    }

    fn git_cache(&self) -> Option<&GitCache> {
        self.inner.git_cache()
    }

    fn is_available(&self) -> bool {
        self.inner.is_available()
    }

    fn has_files(&self) -> bool {
        self.inner.has_files() || !self.edits.is_empty()
    }

    fn contains_file(&self, folder: &RealPath, file: Inode) -> Result<bool, LookupError> {
        self.inner.contains_file(folder, file)
    }
}

fn make_stamp(path: &str, file: Option<&EditedFile>) -> FileStamp {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    let inode = Inode { device: 1, number: hasher.finish() };
    file.map(|file| &file.content).hash(&mut hasher);
    let modified = (i64::from_ne_bytes(hasher.finish().to_ne_bytes()), 0);
    let at = file.map_or(0, |file| file.at.micros());
    let changed = (at.div_euclid(1_000_000), at.rem_euclid(1_000_000) * 1_000);
    let kind = if file.is_some() { StampKind::RegularFile } else { StampKind::Folder };
    FileStamp { inode, kind, owner: 0, mode: 0o755, size: 0, modified, changed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeFileSystem;

    #[test]
    fn edits_lie_on_top_of_the_files_below() {
        let below = FakeFileSystem::without_links()
            .with_file("/w/a", "old")
            .with_file("/w/b", "old")
            .with_file("/w/sub/c", "old");
        let edits = FileEdits::default();
        let files = EditedFileSystem::new(Box::new(below), edits.clone());
        let at = Time::from_micros(7_000_001);
        edits.write("/w/a", "new", at);
        edits.write("/w/made/d", "new", at);
        edits.remove("/w/b");
        let read = |path: &str| files.read_file(path, 100).ok();
        assert_eq!(read("/w/a"), Some(b"new".to_vec()));
        assert_eq!(read("/w/b"), None);
        assert_eq!(read("/w/sub/c"), Some(b"old".to_vec()));
        let mut names = files.list_folder(&RealPath::from_text("/w")).unwrap();
        names.sort();
        assert_eq!(names, ["a", "made", "sub"]);
        let stamp = |path: &str| files.read_stamp(path).unwrap();
        assert_eq!(stamp("/w/b"), None);
        assert_eq!(stamp("/w/a").unwrap().changed, (7, 1_000));
        assert_eq!(stamp("/w/made").unwrap().kind, StampKind::Folder);
        assert_eq!(edits.read("/w/a").as_deref(), Some("new"));
    }
}
