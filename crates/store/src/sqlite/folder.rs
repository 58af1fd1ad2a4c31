//! The folder: nobody else's, on a disk of this machine, and in use by one process.

use crate::StoreError;
use rustix::fs::statfs;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const FILE: &str = "countersign.db";
const LOCK: &str = "countersign.lock";

/// A folder that this process holds.
pub(super) struct Owned {
    pub file: PathBuf,
    /// Held until the process ends.
    _lock: File,
}

/// File systems whose locks and syncs cannot be relied on from here, by their magic numbers.
const NETWORK: [(i64, &str); 10] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x6573_5546, "FUSE"),
    (0x0bd0_0bd0, "Lustre"),
];

pub(super) fn take(folder: &Path) -> Result<Owned, StoreError> {
    make(folder)?;
    is_private(folder)?;
    is_local(folder)?;
    let lock = lock(&folder.join(LOCK))?;
    let file = folder.join(FILE);
    let new = OpenOptions::new().create(true).append(true).mode(0o600).open(&file);
    new.map_err(|error| cannot("open", &file, &error))?;
    Ok(Owned { file, _lock: lock })
}

/// The file of a folder that holds a record already; nothing is made.
pub(super) fn existing(folder: &Path) -> Result<PathBuf, StoreError> {
    let file = folder.join(FILE);
    match std::fs::metadata(&file) {
        Ok(_) => Ok(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(StoreError::Absent {
            what: format!("there is no record in `{}`", folder.display()),
            remedy: "name the folder that holds one; it is made by the first command that writes"
                .to_owned(),
        }),
        Err(error) => Err(cannot("look at", &file, &error)),
    }
}

fn make(folder: &Path) -> Result<(), StoreError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| cannot("make", folder, &error))
}

fn is_private(folder: &Path) -> Result<(), StoreError> {
    let found = std::fs::metadata(folder).map_err(|error| cannot("look at", folder, &error))?;
    let own = rustix::process::geteuid().as_raw();
    if found.uid() != own {
        return Err(StoreError::Unusable {
            what: format!("`{}` belongs to another user", folder.display()),
            remedy: "use a folder of your own".to_owned(),
        });
    }
    if found.mode() & 0o077 != 0 {
        return Err(StoreError::Unusable {
            what: format!("others can enter `{}`", folder.display()),
            remedy: format!("close it: chmod 700 {}", folder.display()),
        });
    }
    Ok(())
}

fn is_local(folder: &Path) -> Result<(), StoreError> {
    let found = statfs(folder).map_err(|error| cannot("look at", folder, &error))?;
    let kind = found.f_type;
    match NETWORK.iter().find(|(magic, _)| *magic == kind) {
        None => Ok(()),
        Some((_, name)) => Err(StoreError::Unusable {
            what: format!("`{}` lies on {name}, where locks cannot be relied on", folder.display()),
            remedy: "use a local disk, or PostgreSQL for more than one machine".to_owned(),
        }),
    }
}

fn lock(path: &Path) -> Result<File, StoreError> {
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let file = opened.map_err(|error| cannot("open", path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Unusable {
            what: format!("another process uses `{}`", path.display()),
            remedy: "stop it, or use another folder".to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(cannot("lock", path, &error)),
    }
}

fn cannot(act: &str, path: &Path, error: &impl ToString) -> StoreError {
    let what = format!("cannot {act} `{}`", path.display());
    StoreError::Unavailable { what, cause: error.to_string() }
}

/// Which file a path leads to, to notice when it is another one.
pub(super) fn identity(file: &Path) -> Result<(u64, u64), StoreError> {
    let found = std::fs::metadata(file).map_err(|error| cannot("look at", file, &error))?;
    Ok((found.dev(), found.ino()))
}
