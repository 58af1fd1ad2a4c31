//! Lookups on a file system: the real one, a fake one, or none.
//!
//! A lookup that fails is an error, and the caller asks or denies. `real_path` follows the links.

mod fake;
mod real;

pub use fake::FakeFileSystem;
pub use real::{AgentIdentity, RealFileSystem};

use crate::limits;
use crate::program::ProgramIdentity;
use crate::real_path::RealPath;
use std::io::ErrorKind;

/// What a decision may learn about a file system.
pub trait FileSystem: Send + Sync {
    /// Resolves `path`; `cwd` must be absolute if `path` is relative.
    fn resolve_path(&self, path: &str, cwd: &str) -> Result<RealPath, LookupError>;

    /// Finds the program that `name` starts in `cwd`: a name with a slash is a path, any other is
    /// searched for.
    fn find_program(&self, name: &str, cwd: &str) -> Result<ProgramIdentity, LookupError>;
}

/// Every lookup fails, so that no rule that needs one allows anything.
#[derive(Clone, Copy, Debug)]
pub struct NoFileSystem;

impl FileSystem for NoFileSystem {
    fn resolve_path(&self, path: &str, _: &str) -> Result<RealPath, LookupError> {
        Err(LookupError::Unreadable(path.to_owned(), ErrorKind::Unsupported))
    }

    fn find_program(&self, name: &str, _: &str) -> Result<ProgramIdentity, LookupError> {
        Err(LookupError::ProgramNotFound(name.to_owned()))
    }
}

/// Why a path could not be resolved, or a program not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    #[error("the path is empty")]
    Empty,
    #[error("the path contains a NUL character")]
    Nul,
    #[error("the path is longer than {} bytes", limits::MAX_PATH_BYTES)]
    TooLong,
    #[error("the working directory `{0}` is not an absolute path")]
    RelativeCwd(String),
    #[error("the path leads through more than {} links", limits::MAX_LINKS)]
    TooManyLinks,
    #[error("`{0}` cannot be read: {1}")]
    Unreadable(String, ErrorKind),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error("`..` follows `{0}`, which does not exist")]
    ParentOfMissing(String),
    #[error("`{0}` leads to a different place in each process")]
    ProcessLink(String),
    #[error("the target of the link `{0}` is not valid UTF-8")]
    LinkNotUtf8(String),
    #[error("no program `{0}` was found")]
    ProgramNotFound(String),
    #[error("`{0}` is not an executable file")]
    NotExecutable(String),
}
