//! The content of program files: their hashes and first lines, read once as long as a file stays the
//! same.
//!
//! A file counts as the same while its inode, size and times are. Times have a granularity, so a file
//! that was changed shortly before it was read may change again without new times. What was read of
//! such a file is not kept. Git calls this problem "racily clean".

use crate::limits;
use crate::program::script::{self, FirstLine};
use countersign_commands::ProgramHash;
use rustix::fs::{Mode, OFlags, open};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

/// Seconds and nanoseconds since 1970.
pub(crate) type FileTime = (i64, i64);
pub(crate) type FileClock = fn() -> FileTime;

/// What was read of program files.
#[derive(Debug)]
pub(crate) struct ContentCache {
    hashes: FileCache<ProgramHash>,
    first_lines: FileCache<FirstLine>,
    max_bytes: u64,
}

impl ContentCache {
    pub(crate) fn new() -> Self {
        Self::with_limits(read_clock, limits::MAX_HASHED_BYTES)
    }

    pub(crate) fn with_limits(clock: FileClock, max_bytes: u64) -> Self {
        Self { hashes: FileCache::new(clock), first_lines: FileCache::new(clock), max_bytes }
    }

    /// The hash of a file whose path contains no links, or why there is none.
    pub(crate) fn hash_file(&self, path: &str) -> Result<ProgramHash, String> {
        let hash = |file: &File| hash_content(file, self.max_bytes);
        self.hashes.read(path, hash).map_err(|error| describe_failure(path, &error))
    }

    /// Whether a file is a script, and of which interpreter.
    pub(crate) fn read_first_line(&self, path: &str) -> Result<FirstLine, String> {
        let read = self.first_lines.read(path, script::read_first_line);
        read.map_err(|error| describe_failure(path, &error))
    }
}

fn describe_failure(path: &str, error: &io::Error) -> String {
    format!("`{path}` cannot be read: {error}")
}

/// The clock by which the kernel sets the times of files.
fn read_clock() -> FileTime {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// Hashes what is in an open file now, from its current position.
pub fn hash_content(file: &File, max_bytes: u64) -> io::Result<ProgramHash> {
    let too_large = || io::Error::other(format!("it is larger than {max_bytes} bytes"));
    if file.metadata()?.len() > max_bytes {
        return Err(too_large());
    }
    let mut hasher = Sha256::new();
    // It may grow meanwhile.
    let mut rest = file.take(max_bytes.saturating_add(1));
    let copied = io::copy(&mut rest, &mut HashWriter(&mut hasher))?;
    match copied > max_bytes {
        true => Err(too_large()),
        false => Ok(ProgramHash::from_bytes(hasher.finalize().into())),
    }
}

struct HashWriter<'h>(&'h mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was read of files, as long as they stay the same.
#[derive(Debug)]
struct FileCache<T> {
    known: Mutex<BTreeMap<String, (FileStamp, T)>>,
    clock: FileClock,
}

/// Differs between two states of a path, unless the second change came too soon after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    inode: (u64, u64),
    size: u64,
    modified: FileTime,
    changed: FileTime,
}

impl<T: Clone> FileCache<T> {
    const fn new(clock: FileClock) -> Self {
        Self { known: Mutex::new(BTreeMap::new()), clock }
    }

    /// Reads a file, unless it is still the one that was read before. `path` contains no links.
    fn read(&self, path: &str, read: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        let current = FileStamp::from_metadata(&fs::symlink_metadata(path)?);
        if let Some(known) = self.find(path, current) {
            return Ok(known);
        }
        let started_at = (self.clock)();
        let file = open_file(path)?;
        let before = FileStamp::from_metadata(&file.metadata()?);
        let value = read(&file)?;
        if FileStamp::from_metadata(&file.metadata()?) != before {
            return Err(io::Error::other("it changed while it was read"));
        }
        if before.is_settled(started_at) {
            self.keep(path, before, value.clone());
        }
        Ok(value)
    }

    fn find(&self, path: &str, current: FileStamp) -> Option<T> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (stamp, value) = known.get(path)?;
        (*stamp == current).then(|| value.clone())
    }

    fn keep(&self, path: &str, stamp: FileStamp, value: T) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= limits::MAX_KNOWN_PROGRAMS {
            known.clear();
        }
        known.insert(path.to_owned(), (stamp, value));
    }
}

impl FileStamp {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            inode: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether every later change gives the file other times. Only the time of the last change
    /// counts: a program can set the other one to anything. A time in the future is no proof.
    fn is_settled(&self, now: FileTime) -> bool {
        let (seconds, nanoseconds) = self.changed;
        (seconds.saturating_add(limits::RACY_SECONDS), nanoseconds) <= now
    }
}

/// Opens a regular file; a pipe under its name must not block.
fn open_file(path: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(open(path, flags, Mode::empty())?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(test)]
mod tests;
