//! The file that a program name starts, and whether the agent can replace it.

use crate::real_path::RealPath;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramIdentity {
    /// The file to start, after following all links.
    pub path: RealPath,
    pub protection: Protection,
    /// `None` on a fake file system.
    pub inode: Option<Inode>,
}

/// Whether the agent can replace a program: its file, a folder above it, or a link on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    Protected,
    /// The agent can write to `writable`.
    Replaceable {
        writable: String,
    },
}

/// Identifies a file, so that another file under the same name is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
}
