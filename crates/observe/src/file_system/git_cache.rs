//! Readings of git's configuration, kept while nothing that they depend on changes.
//!
//! A reading is compared with the disk for every command, by time stamps alone: the daemon is asked
//! about the same few folders again and again. What changed a moment ago is not kept, because the next
//! change could get the same time stamp.

use super::{FileStamp, FileSystem, Inode, StampKind};
use crate::limits;
use countersign_commands::GitConfiguration;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bounded: when it is full, it starts again.
#[derive(Debug, Default)]
pub struct GitCache {
    readings: Mutex<HashMap<(String, String), KeptReading>>,
    files: Mutex<HashMap<String, KeptFile>>,
}

#[derive(Clone, Debug)]
struct KeptReading {
    probes: Arc<[(String, Probe)]>,
    configuration: Arc<GitConfiguration>,
}

#[derive(Debug)]
struct KeptFile {
    stamp: FileStamp,
    parsed: Parsed,
}

/// What a reading found at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// Nothing, or this state of it: the content matters.
    Content(Option<FileStamp>),
    /// Only which file or folder it is matters, and not what is in it.
    Identity(Option<PathIdentity>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathIdentity {
    pub(crate) inode: Inode,
    pub(crate) kind: StampKind,
    pub(crate) owner: u32,
}

impl From<FileStamp> for PathIdentity {
    fn from(stamp: FileStamp) -> Self {
        Self { inode: stamp.inode, kind: stamp.kind, owner: stamp.owner }
    }
}

impl Probe {
    /// Whether the path is as it was.
    pub(crate) fn is_unchanged(&self, files: &dyn FileSystem, path: &str) -> bool {
        let Ok(stamp) = files.read_stamp(path) else { return false };
        match self {
            Self::Content(before) => *before == stamp,
            Self::Identity(before) => *before == stamp.map(PathIdentity::from),
        }
    }
}

/// The content of a file, as far as git's configuration needs it.
#[derive(Clone, Debug)]
pub(crate) enum Parsed {
    Settings(Arc<[WrittenSetting]>),
    Text(Arc<str>),
    Index(Arc<IndexContent>),
    Names(Arc<[String]>),
}

/// One setting as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenSetting {
    /// Section and name in lower case; a subsection in quotes as it is.
    pub(crate) key: String,
    /// `None` for a name without `=`.
    pub(crate) value: Option<String>,
}

/// What an index says about other repositories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexContent {
    /// Paths of submodules, relative to the worktree.
    pub(crate) submodules: Vec<String>,
    /// A part of it is in another file.
    pub(crate) is_split: bool,
}

impl GitCache {
    /// The reading of a folder, if everything that it depends on is as it was.
    pub(crate) fn find_reading(
        &self,
        files: &dyn FileSystem,
        folder: &str,
        home: &str,
    ) -> Option<Arc<GitConfiguration>> {
        let kept = lock(&self.readings).get(&(folder.to_owned(), home.to_owned()))?.clone();
        let is_unchanged = kept.probes.iter().all(|(path, probe)| probe.is_unchanged(files, path));
        is_unchanged.then_some(kept.configuration)
    }

    pub(crate) fn keep_reading(
        &self,
        (folder, home): (&str, &str),
        probes: Vec<(String, Probe)>,
        configuration: &Arc<GitConfiguration>,
    ) {
        let kept = KeptReading { probes: probes.into(), configuration: Arc::clone(configuration) };
        insert_bounded(&mut lock(&self.readings), (folder.to_owned(), home.to_owned()), kept);
    }

    pub(crate) fn find_file(&self, path: &str, stamp: &FileStamp) -> Option<Parsed> {
        let files = lock(&self.files);
        files.get(path).filter(|kept| kept.stamp == *stamp).map(|kept| kept.parsed.clone())
    }

    pub(crate) fn keep_file(&self, path: &str, stamp: FileStamp, parsed: &Parsed) {
        let kept = KeptFile { stamp, parsed: parsed.clone() };
        insert_bounded(&mut lock(&self.files), path.to_owned(), kept);
    }
}

fn insert_bounded<K: Eq + Hash, V>(map: &mut HashMap<K, V>, key: K, value: V) {
    if map.len() >= limits::MAX_GIT_CACHE_ENTRIES {
        map.clear();
    }
    map.insert(key, value);
}

/// A thread that panicked left nothing half-written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
