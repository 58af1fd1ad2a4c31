//! Knows which rules a program is writing at the moment: changed, and not closed since.
//!
//! The kernel reports both events for every file of a watched folder. Where it cannot watch a
//! folder, a change counts as finished when the file has not changed for one look.

use countersign_setup::DecidingChain;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

pub(super) struct WriteTracker {
    events: Option<OwnedFd>,
    /// The watched folders.
    folders: BTreeMap<i32, String>,
    /// The paths of files that were changed and not closed since.
    unfinished: BTreeSet<String>,
}

/// Room for some hundred events at once; more are read in the next round.
const BUFFER_BYTES: usize = 16_384;

impl WriteTracker {
    pub(super) fn new() -> Self {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        Self { events, folders: BTreeMap::new(), unfinished: BTreeSet::new() }
    }

    /// Watches the folders of these files, and reads what happened since the last call.
    pub(super) fn follow<'c>(&mut self, files: impl IntoIterator<Item = &'c DecidingChain>) {
        self.read_events();
        let Some(events) = &self.events else { return };
        let ends = files.into_iter().filter_map(|file| file.chain.as_ref().ok());
        for folder in ends.filter_map(|chain| chain.end.as_str().rsplit_once('/')) {
            let folder = folder.0;
            if self.folders.values().any(|known| known == folder) {
                continue;
            }
            let wanted = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::DELETE
                | WatchFlags::ONLYDIR;
            let path = if folder.is_empty() { "/" } else { folder };
            if let Ok(watch) = inotify::add_watch(events, path, wanted) {
                self.folders.insert(watch, folder.to_owned());
            }
        }
    }

    pub(super) fn is_being_written(&self, files: &[DecidingChain]) -> bool {
        let mut ends = files.iter().filter_map(|file| file.chain.as_ref().ok());
        ends.any(|chain| self.unfinished.contains(chain.end.as_str()))
    }

    fn read_events(&mut self) {
        let Some(events) = &self.events else { return };
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(events, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(_) => return,
            };
            let happened = event.events();
            if happened.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.unfinished.clear();
                continue;
            }
            // The folder is gone, and another one may have its name.
            if happened.contains(ReadFlags::IGNORED) {
                self.folders.remove(&event.wd());
                continue;
            }
            let name = event.file_name().and_then(|name| name.to_str().ok());
            let Some((folder, name)) = self.folders.get(&event.wd()).zip(name) else { continue };
            let path = format!("{folder}/{name}");
            match happened.contains(ReadFlags::MODIFY) {
                true => self.unfinished.insert(path),
                false => self.unfinished.remove(&path),
            };
        }
    }
}
