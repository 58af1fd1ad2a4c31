//! Readings of git's configuration, kept while nothing that they depend on changes.
//!
//! A reading is compared with the disk for every command, by time stamps alone: the daemon is asked
//! about the same few folders again and again. What changed a moment ago is not kept, because the next
//! change could get the same time stamp.

use super::files::{GitFiles, Parsed, Probe};
use crate::file_system::{FileStamp, FileSystem};
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

impl GitCache {
    /// The reading of a folder, if everything that it depends on is as it was.
    pub(super) fn find_reading(
        &self,
        files: &dyn FileSystem,
        folder: &str,
        home: &str,
    ) -> Option<Arc<GitConfiguration>> {
        let kept = lock(&self.readings).get(&(folder.to_owned(), home.to_owned()))?.clone();
        let is_unchanged = kept.probes.iter().all(|(path, probe)| probe.is_unchanged(files, path));
        is_unchanged.then_some(kept.configuration)
    }

    pub(super) fn keep_reading(
        &self,
        (folder, home): (&str, &str),
        files: &GitFiles,
        configuration: &Arc<GitConfiguration>,
    ) {
        if !files.is_settled.get() {
            return;
        }
        let probes = files.list_probes().into();
        let kept = KeptReading { probes, configuration: Arc::clone(configuration) };
        insert_bounded(&mut lock(&self.readings), (folder.to_owned(), home.to_owned()), kept);
    }

    pub(super) fn find_file(&self, path: &str, stamp: &FileStamp) -> Option<Parsed> {
        let files = lock(&self.files);
        files.get(path).filter(|kept| kept.stamp == *stamp).map(|kept| kept.parsed.clone())
    }

    pub(super) fn keep_file(&self, path: &str, stamp: FileStamp, parsed: &Parsed) {
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
