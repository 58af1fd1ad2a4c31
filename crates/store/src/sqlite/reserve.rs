//! Disk space that is kept free for answers, revocations and pauses.
//!
//! A file occupies the space. When the disk is full, the file is deleted: agents are refused from
//! then on, and the operator's acts are written into the space. The file is made again as soon as
//! there is room for it twice.
//!
//! See docs/decisions/0037-reserves-for-the-operator.md.

use crate::StoreError;
use crate::limits::RESERVE_BYTES;
use countersign_core::model::change::Change;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const RESERVE_FILE: &str = "countersign.reserve";

pub(super) struct DiskReserve {
    path: PathBuf,
    state: ReserveState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReserveState {
    Held,
    /// The disk is full, and the operator's acts use the space.
    Released,
    /// The file system cannot reserve space, for another reason than a full disk.
    Unsupported,
}

impl DiskReserve {
    /// Occupies the space beside the database file.
    pub fn open(database: &Path) -> Self {
        let path = database.with_file_name(RESERVE_FILE);
        let state = fill_reserve(&path);
        Self { path, state }
    }

    /// Whether these changes may be written now.
    pub fn check_allowed(&self, changes: &[Change]) -> Result<(), StoreError> {
        if self.state != ReserveState::Released || is_operators_act(changes) {
            return Ok(());
        }
        let cause = "the disk is full; until there is space, only answers, revocations and pauses \
                     are recorded";
        Err(StoreError::unavailable("writing", &cause))
    }

    /// Frees the space if the disk is full. False if that changes nothing.
    pub fn release(&mut self, error: &StoreError) -> bool {
        let is_held = self.state == ReserveState::Held;
        if !is_held || !is_disk_full(error) || std::fs::remove_file(&self.path).is_err() {
            return false;
        }
        self.state = ReserveState::Released;
        true
    }

    /// Occupies the space again, if the disk has enough.
    pub fn restore(&mut self) {
        if self.state != ReserveState::Released {
            return;
        }
        let Some(folder) = self.path.parent() else { return };
        let free = statvfs(folder).map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize));
        if free >= 2 * RESERVE_BYTES {
            self.state = fill_reserve(&self.path);
        }
    }
}

fn fill_reserve(path: &Path) -> ReserveState {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
    let Ok(file) = opened else { return ReserveState::Unsupported };
    match allocate(&file) {
        Ok(()) => ReserveState::Held,
        Err(error) => {
            let _gone = std::fs::remove_file(path);
            match error {
                Errno::NOSPC => ReserveState::Released,
                _ => ReserveState::Unsupported,
            }
        }
    }
}

fn allocate(file: &File) -> Result<(), Errno> {
    fallocate(file, FallocateFlags::empty(), 0, RESERVE_BYTES)
}

/// The words are those of `sqlite_error`.
fn is_disk_full(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable { cause, .. } if cause == super::database::DISK_FULL)
}

/// Whether a commit contains what the operator must always be able to do, and no decision.
fn is_operators_act(changes: &[Change]) -> bool {
    let is_decision = |change: &Change| matches!(change, Change::CallDecided { .. });
    let is_act = |change: &Change| {
        matches!(
            change,
            Change::RequestAnswered { .. }
                | Change::GrantRevoked { .. }
                | Change::AgentPaused { .. }
                | Change::CredentialRevoked { .. }
        )
    };
    changes.iter().any(is_act) && !changes.iter().any(is_decision)
}
