//! When a file is read again, on a real disk. The clock is passed in.

use super::*;
use crate::limits::{MAX_KNOWN_PROGRAMS, RACY_SECONDS};
use rustix::fs::{AtFlags, Timespec, Timestamps, utimensat};
use std::cell::Cell;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// Long after every change.
const LATER: FileClock = || (i64::MAX, 0);
/// Before every change.
const NEVER: FileClock = || (0, 0);

struct TestFile {
    _dir: TempDir,
    path: String,
    reads: Cell<usize>,
}

impl TestFile {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("tool");
        fs::write(&path, text).unwrap();
        Self { path: path.to_str().unwrap().to_owned(), _dir: dir, reads: Cell::new(0) }
    }

    fn read(&self, cache: &FileCache<ProgramHash>) -> io::Result<ProgramHash> {
        cache.read(&self.path, |file| {
            self.reads.set(self.reads.get() + 1);
            hash_content(file, 100)
        })
    }
}

#[test]
fn the_hash_is_the_one_that_sha256sum_prints() {
    let file = TestFile::new("abc");
    let hash = ContentCache::with_limits(LATER, 3).hash_file(&file.path).unwrap();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash.to_string(), expected);
    assert_eq!(hash.short(), "ba7816…0015ad");
}

#[test]
fn a_file_that_stays_the_same_is_read_once() {
    let file = TestFile::new("abc");
    let cache = FileCache::new(LATER);
    let first = file.read(&cache).unwrap();
    assert_eq!(file.read(&cache).unwrap(), first);
    assert_eq!(file.reads.get(), 1);
}

#[test]
fn a_file_that_was_changed_shortly_before_is_read_again() {
    let file = TestFile::new("abc");
    let cache = FileCache::new(NEVER);
    for reads in 1..=3 {
        file.read(&cache).unwrap();
        assert_eq!(file.reads.get(), reads);
    }
}

#[test]
fn times_are_trusted_only_two_seconds_after_the_last_change() {
    let stamp = |changed| FileStamp { inode: (1, 2), size: 3, modified: (0, 0), changed };
    for (now, is_settled) in [
        ((100 + RACY_SECONDS, 500), true),
        ((100 + RACY_SECONDS, 499), false),
        ((101, 999_999_999), false),
        ((100, 500), false),
        ((99, 0), false),
        ((200, 0), true),
    ] {
        assert_eq!(stamp((100, 500)).is_settled(now), is_settled, "{now:?}");
    }
    assert!(!stamp((i64::MAX, 0)).is_settled((200, 0)));
}

#[test]
fn other_content_gives_another_hash_although_size_and_modification_time_are_the_same() {
    let file = TestFile::new("abc");
    let cache = FileCache::new(LATER);
    let first = file.read(&cache).unwrap();
    let metadata = fs::metadata(&file.path).unwrap();
    fs::write(&file.path, "abd").unwrap();
    let modified = Timespec { tv_sec: metadata.mtime(), tv_nsec: metadata.mtime_nsec() };
    let times = Timestamps { last_access: modified, last_modification: modified };
    utimensat(rustix::fs::CWD, &file.path, &times, AtFlags::empty()).unwrap();
    assert_eq!(fs::metadata(&file.path).unwrap().mtime_nsec(), metadata.mtime_nsec());
    let second = file.read(&cache).unwrap();
    assert_ne!(second, first);
    // Another file under the same name.
    let other = format!("{}.new", file.path);
    fs::write(&other, "abe").unwrap();
    fs::rename(&other, &file.path).unwrap();
    assert_ne!(file.read(&cache).unwrap(), second);
    assert_eq!(file.reads.get(), 3);
}

#[test]
fn a_file_that_changes_while_it_is_read_has_no_hash() {
    let file = TestFile::new("abc");
    let cache = FileCache::new(LATER);
    let read = cache.read(&file.path, |open| {
        fs::write(&file.path, "longer").unwrap();
        hash_content(open, 100)
    });
    assert_eq!(read.unwrap_err().to_string(), "it changed while it was read");
    assert!(cache.known.lock().unwrap().is_empty());
}

#[test]
fn a_file_that_is_too_large_or_unreadable_has_no_hash() {
    let file = TestFile::new("abcd");
    let hash = |path: &str| ContentCache::with_limits(LATER, 3).hash_file(path).unwrap_err();
    assert_eq!(
        hash(&file.path),
        format!("`{}` cannot be read: it is larger than 3 bytes", file.path)
    );
    assert!(hash(file.path.strip_suffix("/tool").unwrap()).contains("not a regular file"));
    assert!(hash(&format!("{}x", file.path)).contains("cannot be read"));
    fs::write(&file.path, "ab").unwrap();
    fs::set_permissions(&file.path, fs::Permissions::from_mode(0o000)).unwrap();
    match rustix::process::geteuid().is_root() {
        true => eprintln!("skipped: root can read every file"),
        false => assert!(hash(&file.path).contains("Permission denied"), "{}", hash(&file.path)),
    }
}

#[test]
fn a_pipe_in_place_of_a_file_does_not_block() {
    let file = TestFile::new("");
    fs::remove_file(&file.path).unwrap();
    let mode = Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, &file.path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let read = ContentCache::with_limits(LATER, 3).hash_file(&file.path);
    assert!(read.unwrap_err().contains("not a regular file"));
}

#[test]
fn the_number_of_kept_hashes_is_bounded() {
    let cache = FileCache::new(LATER);
    let stamp = FileStamp { inode: (1, 2), size: 3, modified: (0, 0), changed: (0, 0) };
    for number in 0..=MAX_KNOWN_PROGRAMS {
        cache.keep(&format!("/{number}"), stamp, number);
    }
    assert!(cache.known.lock().unwrap().len() <= MAX_KNOWN_PROGRAMS);
    let newest = format!("/{MAX_KNOWN_PROGRAMS}");
    assert_eq!(cache.find(&newest, stamp), Some(MAX_KNOWN_PROGRAMS));
}
