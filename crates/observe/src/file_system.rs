//! The one place that looks at the disk: where a path really leads, and what a program's name
//! would start.
//!
//! Paths are walked component by component as the kernel walks them: links are followed, `..` is
//! the parent of what was reached, and a tail that does not exist yet is kept as it is written.
//! `~` is a name like any other. What cannot be followed is an error, and whoever gets it asks or
//! denies. All of it is true at the moment of looking and no longer: what runs later has to look
//! again, or use what was found here. Nothing here opens a file or changes one.

mod fake;
mod real;

pub use fake::{Paper, Unseen};
pub use real::{Identity, System};

use crate::program::Program;
use crate::real_path::RealPath;

/// What a decision may learn about the disk.
pub trait Disk: Send + Sync {
    /// Where `path` leads for somebody who stands in `cwd`, an absolute path.
    fn real(&self, path: &str, cwd: &str) -> Result<RealPath, Unresolved>;

    /// What `name` would start for somebody who stands in `cwd`: a name with a slash is a path, a
    /// bare one is searched for.
    fn program(&self, name: &str, cwd: &str) -> Result<Program, Unresolved>;
}

/// Why a path could not be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    #[error("the path is empty")]
    Empty,
    #[error("the path holds a NUL character")]
    Nul,
    #[error("the path is longer than {} bytes", crate::limits::PATH_BYTES)]
    TooLong,
    #[error("the working directory `{0}` is not a whole path")]
    NoPlace(String),
    #[error("more than {} links lead from one to another", crate::limits::LINKS)]
    Loop,
    #[error("`{0}` cannot be looked at: {1}")]
    Unreadable(String, std::io::ErrorKind),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error("`..` stands behind `{0}`, which does not exist")]
    BehindMissing(String),
    #[error("`{0}` is a link of a process, and leads elsewhere for another one")]
    OfAProcess(String),
    #[error("the link `{0}` leads to a name that is no text")]
    NotText(String),
    #[error("no program `{0}` was found")]
    NoProgram(String),
    #[error("`{0}` is no program that could be started")]
    NotExecutable(String),
}
