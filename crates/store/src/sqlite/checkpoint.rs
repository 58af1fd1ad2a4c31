//! Moves committed pages from SQLite's log to the database file, outside of any decision.
//!
//! SQLite would do this in the commit that makes the log too long, and the commit after it would
//! sync the start of the new log: two more syncs for a caller that wanted one decision. Here a
//! separate thread does both.

use super::database::SqliteDatabase;
use crate::{StoreError, spawn_thread};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Starts a checkpoint. The thread ends when this is dropped.
pub(super) struct CheckpointTrigger {
    sender: SyncSender<()>,
}

impl CheckpointTrigger {
    /// Does not wait. If a request is pending already, this one is dropped.
    pub fn request(&self) {
        let _sent = self.sender.try_send(());
    }
}

pub(super) fn trigger_channel() -> (CheckpointTrigger, Receiver<()>) {
    let (sender, requests) = sync_channel(1);
    (CheckpointTrigger { sender }, requests)
}

/// The thread. Dropping this waits for its end.
pub(super) struct CheckpointThread {
    thread: Option<JoinHandle<()>>,
}

impl CheckpointThread {
    /// `restart_log` runs after each checkpoint, and ends the thread when there is no writer any more.
    pub fn start(
        file: &Path,
        requests: Receiver<()>,
        restart_log: impl Fn() -> ControlFlow<()> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let database = SqliteDatabase::open(file)?;
        let thread = spawn_thread("store log", "starting to move the log", move || {
            while requests.recv().is_ok() {
                // Pages that could not be moved stay in the log until the next checkpoint.
                let _retried = database.checkpoint();
                if restart_log().is_break() {
                    return;
                }
            }
        })?;
        Ok(Self { thread: Some(thread) })
    }
}

impl Drop for CheckpointThread {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
