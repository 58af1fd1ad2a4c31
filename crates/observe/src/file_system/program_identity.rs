//! Which file a program name starts, and whether the agent can replace it.

use crate::real_path::RealPath;
use countersign_commands::{PinnedFile, Shim};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramIdentity {
    /// The file to start, after following all links.
    pub path: RealPath,
    /// The absolute path before its links are followed. Some programs do what its last part says.
    pub found_at: String,
    pub protection: Protection,
    /// `None` on a fake file system.
    pub inode: Option<Inode>,
}

/// Whether the agent can replace a program: a file that it consists of, a folder above one, or a
/// link on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Protection {
    Protected,
    /// The agent can write to `writable`.
    Replaceable {
        writable: String,
        /// The first shim on the way.
        shim: Option<Shim>,
        /// Every file on the way that the agent can replace, and the program of a shim.
        files: Vec<PinnedFile>,
    },
}

/// Identifies a file, so that another file under the same name is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
}
