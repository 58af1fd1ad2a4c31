//! The folder of the database: private to its owner, on a local disk, used by one process.

use crate::StoreError;
use rustix::fs::statfs;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The database in the folder of a record.
pub const DATABASE_FILE: &str = "countersign.db";
/// SQLite's log of the database.
pub const LOG_FILE: &str = "countersign.db-wal";
const LOCK_FILE: &str = "countersign.lock";

/// A folder that this process has locked.
pub(super) struct LockedFolder {
    pub file: PathBuf,
    /// The lock lasts as long as this file is open.
    _lock: File,
}

/// File systems whose locks and syncs are not reliable, by their magic numbers.
const NETWORK_FILE_SYSTEMS: [(i64, &str); 10] = [
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

pub(super) fn lock_folder(folder: &Path) -> Result<LockedFolder, StoreError> {
    create_folder(folder)?;
    check_private(folder)?;
    check_local(folder)?;
    let lock = lock_file(&folder.join(LOCK_FILE))?;
    let file = folder.join(DATABASE_FILE);
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&file);
    opened.map_err(|error| io_error("open", &file, &error))?;
    Ok(LockedFolder { file, _lock: lock })
}

/// The database file of a folder; creates nothing.
pub(super) fn find_database_file(folder: &Path) -> Result<PathBuf, StoreError> {
    let file = folder.join(DATABASE_FILE);
    match std::fs::metadata(&file) {
        Ok(_) => Ok(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(StoreError::Absent {
            what: format!("there is no record in `{}`", folder.display()),
            remedy: "name the folder that holds one; it is made by the first command that writes"
                .to_owned(),
        }),
        Err(error) => Err(folder_error("look at", folder, &error)),
    }
}

fn create_folder(folder: &Path) -> Result<(), StoreError> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|error| folder_error("make", folder, &error))
}

fn check_private(folder: &Path) -> Result<(), StoreError> {
    let found = std::fs::metadata(folder).map_err(|error| io_error("look at", folder, &error))?;
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user {
        return Err(StoreError::Unusable {
            what: format!("`{}` belongs to another user", folder.display()),
            remedy: "use a folder of your user".to_owned(),
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

fn check_local(folder: &Path) -> Result<(), StoreError> {
    let found = statfs(folder).map_err(|error| io_error("look at", folder, &error))?;
    let kind = found.f_type;
    match NETWORK_FILE_SYSTEMS.iter().find(|(magic, _)| *magic == kind) {
        None => Ok(()),
        Some((_, name)) => Err(StoreError::Unusable {
            what: format!("`{}` lies on {name}, where locks cannot be relied on", folder.display()),
            remedy: "use a local disk, or PostgreSQL for more than one machine".to_owned(),
        }),
    }
}

fn lock_file(path: &Path) -> Result<File, StoreError> {
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let file = opened.map_err(|error| io_error("open", path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Unusable {
            what: format!(
                "another process uses this record, probably a running daemon: it has locked `{}`",
                path.display()
            ),
            remedy: "stop it first, or name another folder".to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(io_error("lock", path, &error)),
    }
}

/// The folder may be a file by mistake, or belong to another user.
fn folder_error(act: &str, folder: &Path, error: &std::io::Error) -> StoreError {
    use std::io::ErrorKind::{AlreadyExists, NotADirectory, PermissionDenied};
    let (what, remedy) = match error.kind() {
        AlreadyExists | NotADirectory if !folder.is_dir() => (
            format!("`{}` is a file, but the record is in a folder", folder.display()),
            "name a folder",
        ),
        PermissionDenied => (
            format!("your user may not open the record in `{}`", folder.display()),
            "run this as the user that runs the daemon",
        ),
        _ => return io_error(act, folder, error),
    };
    StoreError::Unusable { what, remedy: remedy.to_owned() }
}

fn io_error(act: &str, path: &Path, error: &impl ToString) -> StoreError {
    StoreError::unavailable(&format!("cannot {act} `{}`", path.display()), error)
}

/// The database file and its log as they were opened. SQLite keeps writing to a file that was
/// deleted or replaced, and what it writes there is lost with the process.
pub(super) struct OpenedFiles {
    files: [(PathBuf, FileIdentity); 2],
}

/// Device and inode. Neither is used again while the file is open.
type FileIdentity = (u64, u64);

impl OpenedFiles {
    /// Looks at the files of a database that is open in WAL mode.
    pub fn read(database: &Path) -> Result<Self, StoreError> {
        let identify = |path: PathBuf| match std::fs::metadata(&path) {
            Ok(found) => Ok((path, (found.dev(), found.ino()))),
            Err(error) => Err(io_error("look at", &path, &error)),
        };
        Ok(Self {
            files: [identify(database.to_owned())?, identify(database.with_file_name(LOG_FILE))?],
        })
    }

    /// Fails if one of them is not the file that was opened.
    pub fn check_in_place(&self) -> Result<(), StoreError> {
        for (path, opened) in &self.files {
            let cause = match std::fs::metadata(path) {
                Ok(found) if (found.dev(), found.ino()) == *opened => continue,
                Ok(_) => "another file was put in its place".to_owned(),
                Err(error) => format!("it cannot be found any more: {error}"),
            };
            return Err(StoreError::damaged(&format!("the file `{}`", path.display()), &cause));
        }
        Ok(())
    }
}
