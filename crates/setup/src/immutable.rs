//! Reads and writes the immutable flag of a file. With the flag, the file system refuses every
//! change, also by the owner.
//!
//! Only a process with CAP_LINUX_IMMUTABLE can set or clear it, and not every file system has it.
//! Every write is verified by reading the flag again.

use rustix::fs::{IFlags, fstatfs, ioctl_getflags, ioctl_setflags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImmutableFlag {
    Set,
    Clear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagWrite {
    Changed,
    Unchanged,
}

#[derive(Debug)]
pub enum FlagError {
    /// The file system has no such flag.
    Unsupported,
    /// This process may not set or clear it.
    NotPermitted,
    /// The write succeeded, but the flag did not change.
    NotKept,
    Io(io::Error),
}

/// Magic numbers of file systems, from statfs(2).
const FILE_SYSTEMS: &[(u64, &str)] = &[
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0xf2f5_2010, "f2fs"),
    (0x2fc1_2fc1, "zfs"),
    (0x0102_1994, "tmpfs"),
    (0x794c_7630, "overlay"),
    (0x6969, "nfs"),
];

pub fn read_flag(path: &Path) -> Result<ImmutableFlag, FlagError> {
    let file = File::open(path).map_err(FlagError::Io)?;
    ioctl_getflags(&file).map(to_flag).map_err(to_error)
}

pub fn write_flag(path: &Path, wanted: ImmutableFlag) -> Result<FlagWrite, FlagError> {
    let file = File::open(path).map_err(FlagError::Io)?;
    let flags = ioctl_getflags(&file).map_err(to_error)?;
    if to_flag(flags) == wanted {
        return Ok(FlagWrite::Unchanged);
    }
    let mut new = flags;
    new.set(IFlags::IMMUTABLE, wanted == ImmutableFlag::Set);
    ioctl_setflags(&file, new).map_err(to_error)?;
    match ioctl_getflags(&file).map(to_flag).map_err(to_error)? {
        flag if flag == wanted => Ok(FlagWrite::Changed),
        _ => Err(FlagError::NotKept),
    }
}

/// `ext4`, or the magic number.
pub fn file_system_name(path: &Path) -> String {
    let number = File::open(path)
        .ok()
        .and_then(|file| fstatfs(&file).ok())
        .and_then(|info| u64::try_from(info.f_type).ok());
    let name = number.and_then(|number| FILE_SYSTEMS.iter().find(|(magic, _)| *magic == number));
    match (name, number) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, Some(number)) => format!("file system {number:#x}"),
        (None, None) => "unknown file system".to_owned(),
    }
}

fn to_flag(flags: IFlags) -> ImmutableFlag {
    if flags.contains(IFlags::IMMUTABLE) { ImmutableFlag::Set } else { ImmutableFlag::Clear }
}

fn to_error(error: Errno) -> FlagError {
    match error {
        Errno::NOTTY | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL => FlagError::Unsupported,
        Errno::PERM | Errno::ACCESS => FlagError::NotPermitted,
        other => FlagError::Io(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_are_told_apart() {
        assert!(matches!(to_error(Errno::NOTTY), FlagError::Unsupported));
        assert!(matches!(to_error(Errno::OPNOTSUPP), FlagError::Unsupported));
        assert!(matches!(to_error(Errno::PERM), FlagError::NotPermitted));
        assert!(matches!(to_error(Errno::IO), FlagError::Io(_)));
    }

    #[test]
    fn a_file_in_proc_has_no_flag() {
        assert!(matches!(read_flag(Path::new("/proc/self/status")), Err(FlagError::Unsupported)));
        assert!(matches!(
            write_flag(Path::new("/proc/self/status"), ImmutableFlag::Set),
            Err(FlagError::Unsupported)
        ));
    }
}
