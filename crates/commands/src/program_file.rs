//! The file that the name of a program starts, and the hashes that pin it.

use countersign_core::encoding::digest::Digest;

/// The file that a program's name would start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFile {
    /// The disk was not consulted.
    Unknown,
    /// A file that the agent cannot replace.
    Protected { path: String },
    /// A file that the agent can replace, because it can write to `writable`. So can a program be
    /// that it starts: a shim's, or the interpreter of a script.
    Replaceable {
        path: String,
        writable: String,
        /// The first shim on the way.
        shim: Option<Shim>,
        /// Every file on the way that the agent can replace, and the program of a shim; never empty.
        files: Vec<PinnedFile>,
    },
    /// No folder of the search path holds a program of this name.
    Absent { name: String },
    /// Which file it is cannot be found out.
    NotFound { why: String },
}

impl ProgramFile {
    /// Adds files of code that the program is given, so that they are pinned with it. False if the
    /// program itself is not known.
    pub(crate) fn add_code(&mut self, code: Vec<PinnedFile>) -> bool {
        let Some(first) = code.first().map(|file| file.path.clone()) else {
            return !matches!(self, Self::NotFound { .. });
        };
        match self {
            Self::Replaceable { files, .. } => files.extend(code),
            Self::Protected { path } => {
                let (path, writable) = (std::mem::take(path), first);
                *self = Self::Replaceable { path, writable, shim: None, files: code };
            }
            Self::Unknown | Self::Absent { .. } | Self::NotFound { .. } => return false,
        }
        true
    }

    /// Both files of a program that another one starts. The path is that of the program behind.
    pub(crate) fn behind(self, outer: Self) -> Self {
        match (outer, self) {
            (missing @ (Self::NotFound { .. } | Self::Absent { .. }), _)
            | (_, missing @ (Self::NotFound { .. } | Self::Absent { .. })) => missing,
            (Self::Unknown, inner) => inner,
            (outer, Self::Unknown) => outer,
            (Self::Protected { .. }, inner) => inner,
            (Self::Replaceable { writable, shim, files, .. }, Self::Protected { path }) => {
                Self::Replaceable { path, writable, shim, files }
            }
            (
                Self::Replaceable { writable, shim, mut files, .. },
                Self::Replaceable { path, files: inner, .. },
            ) => {
                files.extend(inner);
                Self::Replaceable { path, writable, shim, files }
            }
        }
    }
}

/// A program that only starts another one, which version files choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shim {
    /// `rustup`, `pyenv`.
    pub manager: String,
    /// The program that it starts; `None` if nobody can tell without running it.
    pub program: Option<String>,
    /// The folder in which the command runs: in another one the shim may start another program.
    pub folder: String,
}

/// A file, or all files of a folder, whose content a yes can pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedFile {
    pub path: String,
    /// Or why there is none; then nothing can be pinned.
    pub hash: Result<ProgramHash, String>,
}

/// SHA-256 of the content of a program, as `sha256sum` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramHash(Digest);

impl ProgramHash {
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Digest::from_bytes(bytes))
    }

    pub const fn digest(&self) -> Digest {
        self.0
    }

    /// First and last six characters, as every card shows them.
    pub fn short(&self) -> String {
        self.0.short()
    }
}

impl std::fmt::Display for ProgramHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
