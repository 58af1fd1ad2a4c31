//! Moving what was committed from the log to the file, beside the decisions and not in them.
//!
//! SQLite would do it in the commit that makes the log too long, and the commit after that would
//! sync the log's new beginning: two syncs more for somebody who only wanted one decision. Here a
//! thread of its own does both.

use super::database::Database;
use super::writer::Work;
use crate::StoreError;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, Weak};
use std::thread::JoinHandle;

/// Pages in the log after which it is time. A file that grows is synced far more slowly than one that
/// is written over, so that the log should soon be as long as it gets.
pub(super) const PAGES: usize = 1_024;
/// What a commit writes anew beside a page or so for each of its changes: the ends of the tables.
pub(super) const ENDS: usize = 4;

/// Tells the thread that it is time. It ends when this is gone.
pub(super) struct Due {
    tell: SyncSender<()>,
}

impl Due {
    /// Nobody waits: if it is at work already, it is told again later.
    pub fn now(&self) {
        let _told = self.tell.try_send(());
    }
}

pub(super) fn due() -> (Due, Receiver<()>) {
    let (tell, told) = sync_channel(1);
    (Due { tell }, told)
}

/// The thread, which is waited for when the store is closed.
pub(super) struct Checkpoints {
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    pub fn start(
        file: &Path,
        told: Receiver<()>,
        work: Weak<Mutex<Work>>,
    ) -> Result<Self, StoreError> {
        let own = Database::open(file)?;
        let thread = std::thread::Builder::new()
            .name("store log".to_owned())
            .spawn(move || {
                while told.recv().is_ok() {
                    // What could not be moved stays in the log, and is moved the next time.
                    let _later = own.checkpoint();
                    let Some(work) = work.upgrade() else { return };
                    if let Ok(mut work) = work.lock() {
                        work.begin_log_anew();
                    }
                }
            })
            .map_err(|error| StoreError::Unavailable {
                what: "starting to move the log".to_owned(),
                cause: error.to_string(),
            })?;
        Ok(Self { thread: Some(thread) })
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
