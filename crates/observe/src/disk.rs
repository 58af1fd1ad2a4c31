//! The one place that looks at the disk: where a path really leads, and what a program's name
//! would start.
//!
//! Paths are walked component by component as the kernel walks them: links are followed, `..` is
//! the parent of what was reached, and a tail that does not exist yet is kept as it is written.
//! `~` is a name like any other. What cannot be followed is an error, and whoever gets it asks or
//! denies. All of it is true at the moment of looking and no longer: what runs later has to look
//! again, or use what was found here. Nothing here opens a file or changes one.

mod ground;
mod paper;
mod program;
mod system;
mod walk;

pub use ground::Ground;
pub use paper::{Paper, Unseen};
pub use program::{Inode, Keeper, Program};
pub use system::{Identity, System};

/// What a decision may learn about the disk.
pub trait Disk: Send + Sync {
    /// Where `path` leads for somebody who stands in `cwd`, an absolute path.
    fn real(&self, path: &str, cwd: &str) -> Result<RealPath, Unresolved>;

    /// What `name` would start for somebody who stands in `cwd`: a name with a slash is a path, a
    /// bare one is searched for.
    fn program(&self, name: &str, cwd: &str) -> Result<Program, Unresolved>;
}

/// An absolute path without links, `.`, `..` and doubled slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealPath(String);

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

impl RealPath {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path itself, then every folder above it, `/` last.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self.0.as_str()), |path| parent(path))
    }

    /// Whether it is `folder` or lies below it.
    pub fn is_below(&self, folder: &Self) -> bool {
        self.ancestors().any(|above| above == folder.0)
    }
}

fn parent(path: &str) -> Option<&str> {
    match path.rsplit_once('/')? {
        ("", "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

impl std::fmt::Display for RealPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ancestors_of_a_path_are_itself_and_every_folder_above() {
        let list = |path: &str| {
            let path = RealPath(path.to_owned());
            path.ancestors().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(list("/w/a/b"), ["/w/a/b", "/w/a", "/w", "/"]);
        assert_eq!(list("/w"), ["/w", "/"]);
        assert_eq!(list("/"), ["/"]);
    }

    #[test]
    fn a_folder_holds_itself_and_not_its_namesakes() {
        let real = |path: &str| RealPath(path.to_owned());
        let folder = real("/w/a");
        for (path, expected) in
            [("/w/a", true), ("/w/a/b", true), ("/w/ab", false), ("/w", false), ("/", false)]
        {
            assert_eq!(real(path).is_below(&folder), expected, "{path}");
        }
        assert!(real("/x").is_below(&real("/")));
    }
}
