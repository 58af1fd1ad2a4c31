//! The errors of a call to the daemon.

use countersign_api::ErrorBody;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no daemon answers at `{}`; `countersign serve` starts it{}", socket.display(), describe_cause(cause))]
    Unreachable { socket: PathBuf, cause: io::Error },
    /// The socket is there, or may be, but this user may not use it.
    #[error("you may not use the daemon at `{}`: {}", socket.display(), describe_owner(*owner))]
    NotPermitted { socket: PathBuf, owner: Option<u32> },
    /// Somebody else listens where our daemon should.
    #[error("a program of another user (uid {user}) answers at `{}`", socket.display())]
    ForeignDaemon { socket: PathBuf, user: u32 },
    #[error("`{}` is a file, but the daemon's data is in a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("the daemon did not answer: {0}")]
    Lost(#[from] io::Error),
    #[error("the daemon's answer cannot be read: {0}")]
    Unreadable(String),
    #[error("the request cannot be written: {0}")]
    Unwritable(String),
    /// The daemon returned an error.
    #[error("{message}")]
    Refused { status: u16, code: String, message: String, remedy: String },
}

/// What is unusual about a daemon that does not answer: that none runs is said already.
fn describe_cause(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => String::new(),
        _ => format!(" ({cause})"),
    }
}

impl ClientError {
    pub fn help(&self) -> &str {
        match self {
            Self::Unreachable { .. } => "or name the folder of one that runs with `--data`",
            Self::NotPermitted { .. } => {
                "run this as the user that runs the daemon, or name your own daemon's folder with \
                 `--data`"
            }
            Self::ForeignDaemon { .. } => {
                "run `countersign init` again as your own user, or start your own daemon"
            }
            Self::NotAFolder { .. } => "name the folder with `--data DIR`",
            Self::Lost(_) | Self::Unreadable(_) => "check the output of `countersign serve`",
            Self::Unwritable(_) => "report this as a bug",
            Self::Refused { remedy, .. } => remedy,
        }
    }

    /// Why a socket cannot be connected to.
    pub(crate) fn from_connect(socket: &Path, cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::PermissionDenied => {
                Self::NotPermitted { socket: socket.to_owned(), owner: find_owner(socket) }
            }
            io::ErrorKind::NotADirectory => {
                let file = socket.ancestors().find(|path| path.is_file()).unwrap_or(socket);
                Self::NotAFolder { path: file.to_owned() }
            }
            _ => Self::Unreachable { socket: socket.to_owned(), cause },
        }
    }

    /// Whether a yes was refused because its surface has not shown the whole call.
    pub fn is_not_shown(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "not_shown")
    }

    /// An error response. Its body may come from another program than the daemon.
    pub(crate) fn from_response(status: u16, body: &[u8]) -> Self {
        match serde_json::from_slice::<ErrorBody>(body) {
            Ok(ErrorBody { error }) => Self::Refused {
                status,
                code: error.code.into_owned(),
                message: error.message,
                remedy: error.remedy,
            },
            Err(_) => Self::Unreadable(format!("status {status} without an error body")),
        }
    }
}

/// The owner of the socket, or of the nearest folder around it that can be looked at.
fn find_owner(socket: &Path) -> Option<u32> {
    socket.ancestors().find_map(|path| Some(std::fs::metadata(path).ok()?.uid()))
}

fn describe_owner(owner: Option<u32>) -> String {
    match owner {
        Some(owner) => format!("it belongs to another user (uid {owner})"),
        None => "it belongs to another user".to_owned(),
    }
}
