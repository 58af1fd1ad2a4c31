//! What a program's name would start, and who could put something else in its place.

use crate::real_path::RealPath;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file that would be started, behind every link.
    pub path: RealPath,
    pub keeper: Keeper,
    /// None where nobody looked.
    pub inode: Option<Inode>,
}

/// Who can replace a program: its file, a folder above it, or a link on the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeper {
    Others,
    /// The agent can write here.
    Agent {
        at: String,
    },
}

/// A file by its number, so that another one under the same name is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
}
