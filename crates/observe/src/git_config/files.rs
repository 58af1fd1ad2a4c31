//! The files of one reading: each is read at most once while it does not change, and everything
//! that the reading depends on is written down.

use super::GitError;
use super::index::{ObjectNames, parse_index};
use super::syntax::parse_settings;
use crate::file_system::git_cache::{IndexContent, Parsed, PathIdentity, Probe, WrittenSetting};
use crate::file_system::{FileSystem, GitCache, StampKind};
use crate::limits;
use crate::real_path::RealPath;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads files, and remembers what was found where.
pub(super) struct GitFiles<'a> {
    files: &'a dyn FileSystem,
    cache: Option<&'a GitCache>,
    probes: RefCell<Vec<(String, Probe)>>,
    /// What this reading has read, so that one file has one content in it.
    parsed: RefCell<HashMap<String, Option<Parsed>>>,
    /// Every stamp tells the next change.
    pub(super) is_settled: Cell<bool>,
}

impl<'a> GitFiles<'a> {
    pub(super) fn new(files: &'a dyn FileSystem) -> Self {
        let (cache, is_settled) = (files.git_cache(), Cell::new(true));
        let (probes, parsed) = (RefCell::default(), RefCell::default());
        Self { files, cache, probes, parsed, is_settled }
    }

    pub(super) fn list_probes(&self) -> Vec<(String, Probe)> {
        self.probes.borrow().clone()
    }

    /// Every path that was looked at, except the index: git writes it all the time.
    pub(super) fn list_paths(&self) -> Vec<String> {
        let probes = self.probes.borrow();
        let is_content = |probe: &Probe| matches!(probe, Probe::Content(_));
        let paths =
            probes.iter().filter(|(path, probe)| is_content(probe) && !path.ends_with("/index"));
        paths.map(|(path, _)| path.clone()).collect()
    }

    fn add_probe(&self, path: &str, probe: Probe) -> Result<(), GitError> {
        let mut probes = self.probes.borrow_mut();
        if probes.iter().any(|known| known.0 == path && known.1 == probe) {
            return Ok(());
        }
        if probes.len() >= limits::MAX_GIT_PATHS {
            return Err(GitError::TooManyPaths);
        }
        probes.push((path.to_owned(), probe));
        Ok(())
    }

    /// What is at a path, if its content does not matter.
    pub(super) fn read_identity(&self, path: &str) -> Result<Option<PathIdentity>, GitError> {
        let identity = self.files.read_stamp(path)?.map(PathIdentity::from);
        self.add_probe(path, Probe::Identity(identity))?;
        Ok(identity)
    }

    /// Whether there is a link at the path that leads nowhere.
    pub(super) fn is_dangling(&self, path: &str) -> Result<bool, GitError> {
        Ok(self.files.read_stamp(path)?.is_none() && self.files.read_identity(path)?.is_some())
    }

    /// Where a path leads from `folder`.
    pub(super) fn resolve(&self, path: &str, folder: &str) -> Result<String, GitError> {
        Ok(self.files.resolve_path(path, folder)?.to_string())
    }

    pub(super) fn read_settings(
        &self,
        path: &str,
    ) -> Result<Option<Arc<[WrittenSetting]>>, GitError> {
        let parsed = self.load(path, &|| {
            let bytes = self.files.read_file(path, limits::MAX_GIT_CONFIG_BYTES)?;
            Ok(Parsed::Settings(parse_settings(path, &bytes)?.into()))
        })?;
        Ok(parsed.and_then(|parsed| match parsed {
            Parsed::Settings(settings) => Some(settings),
            Parsed::Text(_) | Parsed::Index(_) | Parsed::Names(_) => None,
        }))
    }

    /// A short text such as `HEAD`.
    pub(super) fn read_text(&self, path: &str) -> Result<Option<Arc<str>>, GitError> {
        let parsed = self.load(path, &|| {
            let bytes = self.files.read_file(path, limits::MAX_GIT_CONFIG_BYTES)?;
            let text = String::from_utf8(bytes).map_err(|_| GitError::NotUtf8(path.to_owned()))?;
            Ok(Parsed::Text(text.into()))
        })?;
        Ok(parsed.and_then(|parsed| match parsed {
            Parsed::Text(text) => Some(text),
            Parsed::Settings(_) | Parsed::Index(_) | Parsed::Names(_) => None,
        }))
    }

    pub(super) fn read_index(
        &self,
        path: &str,
        names: ObjectNames,
    ) -> Result<Option<Arc<IndexContent>>, GitError> {
        let parsed = self.load(path, &|| {
            let bytes = self.files.read_file(path, limits::MAX_GIT_INDEX_BYTES)?;
            let content = parse_index(&bytes, names);
            let content = content.ok_or_else(|| GitError::Form(path.to_owned()))?;
            Ok(Parsed::Index(Arc::new(content)))
        })?;
        Ok(parsed.and_then(|parsed| match parsed {
            Parsed::Index(content) => Some(content),
            Parsed::Settings(_) | Parsed::Text(_) | Parsed::Names(_) => None,
        }))
    }

    /// The names in a folder; none if there is no folder.
    pub(super) fn list_names(&self, path: &str) -> Result<Arc<[String]>, GitError> {
        let stamp = self.files.read_stamp(path)?;
        if stamp.is_none_or(|stamp| stamp.kind != StampKind::Folder) {
            self.add_probe(path, Probe::Content(stamp))?;
            return Ok(Arc::default());
        }
        let parsed = self.load(path, &|| {
            let folder = self.files.resolve_path(path, "/")?;
            Ok(Parsed::Names(self.list_folder(&folder)?))
        })?;
        Ok(match parsed {
            Some(Parsed::Names(names)) => names,
            _ => Arc::default(),
        })
    }

    fn list_folder(&self, folder: &RealPath) -> Result<Arc<[String]>, GitError> {
        Ok(self.files.list_folder(folder)?.into())
    }

    /// The parsed content of a file; `None` if it is missing.
    fn load(
        &self,
        path: &str,
        read: &dyn Fn() -> Result<Parsed, GitError>,
    ) -> Result<Option<Parsed>, GitError> {
        if let Some(parsed) = self.parsed.borrow().get(path) {
            return Ok(parsed.clone());
        }
        let parsed = self.find_or_read(path, read)?;
        self.parsed.borrow_mut().insert(path.to_owned(), parsed.clone());
        Ok(parsed)
    }

    /// The same, from the cache if the file is unchanged.
    fn find_or_read(
        &self,
        path: &str,
        read: &dyn Fn() -> Result<Parsed, GitError>,
    ) -> Result<Option<Parsed>, GitError> {
        let stamp = self.files.read_stamp(path)?;
        self.add_probe(path, Probe::Content(stamp))?;
        let Some(stamp) = stamp else { return Ok(None) };
        if let Some(parsed) = self.cache.and_then(|cache| cache.find_file(path, &stamp)) {
            return Ok(Some(parsed));
        }
        let parsed = read()?;
        if self.files.read_stamp(path)? != Some(stamp) {
            return Err(GitError::Changed(path.to_owned()));
        }
        match (self.files.is_settled(&stamp), self.cache) {
            (true, Some(cache)) => cache.keep_file(path, stamp, &parsed),
            (true, None) => {}
            (false, _) => self.is_settled.set(false),
        }
        Ok(Some(parsed))
    }
}
