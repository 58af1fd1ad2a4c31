//! The immutable flag of a file: the file system then refuses every change of it, its owner's too.
//!
//! Only a process with CAP_LINUX_IMMUTABLE sets or clears it, and not every file system has it.
//! What the flag is worth to an operator is told elsewhere; here it is read and written, and what
//! was written is read again.

use rustix::fs::{IFlags, fstatfs, ioctl_getflags, ioctl_setflags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Locked,
    Open,
}

/// What writing a mark came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Now,
    Already,
}

#[derive(Debug)]
pub(crate) enum Refusal {
    /// The file system has no such flag.
    Unsupported,
    /// Whoever runs this may not set or clear it.
    NotPermitted,
    /// The file system took it and did not keep it.
    NotKept,
    Io(io::Error),
}

/// Names of file systems by their number, for people.
const NAMES: &[(u64, &str)] = &[
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0xf2f5_2010, "f2fs"),
    (0x2fc1_2fc1, "zfs"),
    (0x0102_1994, "tmpfs"),
    (0x794c_7630, "overlay"),
    (0x6969, "nfs"),
];

pub(crate) fn read(path: &Path) -> Result<Mark, Refusal> {
    let file = File::open(path).map_err(Refusal::Io)?;
    ioctl_getflags(&file).map(mark).map_err(refusal)
}

pub(crate) fn write(path: &Path, wanted: Mark) -> Result<Written, Refusal> {
    let file = File::open(path).map_err(Refusal::Io)?;
    let flags = ioctl_getflags(&file).map_err(refusal)?;
    if mark(flags) == wanted {
        return Ok(Written::Already);
    }
    let mut new = flags;
    new.set(IFlags::IMMUTABLE, wanted == Mark::Locked);
    ioctl_setflags(&file, new).map_err(refusal)?;
    match ioctl_getflags(&file).map(mark).map_err(refusal)? {
        kept if kept == wanted => Ok(Written::Now),
        _ => Err(Refusal::NotKept),
    }
}

/// `ext4`, or what is known of it.
pub(crate) fn file_system(path: &Path) -> String {
    let number = File::open(path)
        .ok()
        .and_then(|file| fstatfs(&file).ok())
        .and_then(|known| u64::try_from(known.f_type).ok());
    let name = number.and_then(|number| NAMES.iter().find(|(known, _)| *known == number));
    match (name, number) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, Some(number)) => format!("file system {number:#x}"),
        (None, None) => "unknown file system".to_owned(),
    }
}

fn mark(flags: IFlags) -> Mark {
    if flags.contains(IFlags::IMMUTABLE) { Mark::Locked } else { Mark::Open }
}

fn refusal(error: Errno) -> Refusal {
    match error {
        Errno::NOTTY | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL => Refusal::Unsupported,
        Errno::PERM | Errno::ACCESS => Refusal::NotPermitted,
        other => Refusal::Io(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_told_apart() {
        assert!(matches!(refusal(Errno::NOTTY), Refusal::Unsupported));
        assert!(matches!(refusal(Errno::OPNOTSUPP), Refusal::Unsupported));
        assert!(matches!(refusal(Errno::PERM), Refusal::NotPermitted));
        assert!(matches!(refusal(Errno::IO), Refusal::Io(_)));
    }

    #[test]
    fn a_file_of_proc_has_no_such_flag() {
        assert!(matches!(read(Path::new("/proc/self/status")), Err(Refusal::Unsupported)));
        assert!(matches!(
            write(Path::new("/proc/self/status"), Mark::Locked),
            Err(Refusal::Unsupported)
        ));
    }
}
