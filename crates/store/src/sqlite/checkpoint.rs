//! Moves committed pages from SQLite's log to the database file, outside of any decision.
//!
//! SQLite would do this in the commit that makes the log too long, and the commit after it would
//! sync the start of the new log: two more syncs for a caller that wanted one decision. Here a
//! separate thread does both.

use super::database::SqliteDatabase;
use super::writer::SqliteBatchWriter;
use crate::{StoreError, spawn_thread};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, Weak};
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
    pub fn start(
        file: &Path,
        requests: Receiver<()>,
        writer: Weak<Mutex<SqliteBatchWriter>>,
    ) -> Result<Self, StoreError> {
        let database = SqliteDatabase::open(file)?;
        let thread = spawn_thread("store log", "starting to move the log", move || {
            while requests.recv().is_ok() {
                // Pages that could not be moved stay in the log until the next checkpoint.
                let _retried = database.checkpoint();
                let Some(writer) = writer.upgrade() else { return };
                if let Ok(mut writer) = writer.lock() {
                    writer.restart_log();
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
