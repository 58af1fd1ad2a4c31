//! The errors of a call to the daemon.

use countersign_api::ErrorBody;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no daemon answers at `{}`: {cause}", socket.display())]
    Unreachable { socket: PathBuf, cause: io::Error },
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

impl ClientError {
    pub fn help(&self) -> &str {
        match self {
            Self::Unreachable { .. } => {
                "start it with `countersign serve`, or name its folder with `--data`"
            }
            Self::Lost(_) | Self::Unreadable(_) => "check the output of `countersign serve`",
            Self::Unwritable(_) => "report this as a bug",
            Self::Refused { remedy, .. } => remedy,
        }
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
