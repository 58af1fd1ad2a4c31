//! Exit codes: the answer for scripts. Only 0 is yes.
//!
//! The binary maps outcomes and statuses to them; a failure has its own.

use countersign_client::ClientError;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Allowed,
    Failure,
    Usage,
    Declined,
    NotAuthenticated,
    Blocked,
    Cancelled,
    Expired,
    Pending,
    NoOperator,
    /// The exit code of the command that `countersign run` ran.
    Command(u8),
}

impl Exit {
    pub const ALL: [Self; 10] = [
        Self::Allowed,
        Self::Failure,
        Self::Usage,
        Self::Declined,
        Self::NotAuthenticated,
        Self::Blocked,
        Self::Cancelled,
        Self::Expired,
        Self::Pending,
        Self::NoOperator,
    ];

    pub const fn code(self) -> u8 {
        match self {
            Self::Allowed => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Declined => 3,
            Self::NotAuthenticated => 4,
            Self::Blocked => 5,
            Self::Cancelled => 6,
            Self::Expired => 7,
            Self::Pending => 8,
            Self::NoOperator => 9,
            Self::Command(code) => code,
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::Allowed => "allowed, or done",
            Self::Failure => "failure; treat it as no",
            Self::Usage => "the command line is wrong",
            Self::Declined => "the operator declined",
            Self::NotAuthenticated => "not authenticated",
            Self::Blocked => "blocked by the graph",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Pending => "an operator has to answer first",
            Self::NoOperator => "no operator can be reached",
            Self::Command(_) => "the exit code of the command",
        }
    }

    /// For a daemon that is unreachable or refuses.
    pub fn from_client_error(error: &ClientError) -> Self {
        match error {
            ClientError::Refused { code, .. } if code == "consent_denied" => Self::Declined,
            ClientError::Refused { code, .. } if code == "pending" => Self::Pending,
            ClientError::Refused { status: 401, .. } | ClientError::NotPermitted { .. } => {
                Self::NotAuthenticated
            }
            ClientError::Refused { .. }
            | ClientError::Unreachable { .. }
            | ClientError::NotAFolder { .. }
            | ClientError::Lost(_)
            | ClientError::Unreadable(_)
            | ClientError::Unwritable(_) => Self::Failure,
        }
    }

    /// All codes, for `--help`.
    pub fn help_table() -> String {
        let lines = Self::ALL.map(|exit| format!("  {}  {}", exit.code(), exit.meaning()));
        format!("Exit codes (only 0 is yes):\n{}", lines.join("\n"))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
