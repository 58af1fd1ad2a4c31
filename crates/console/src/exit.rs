//! Exit codes: the answer for scripts. Only 0 is yes.
//!
//! The binary maps outcomes and statuses to them; a failure has its own.

use countersign_client::ClientError;
use countersign_core::model::reason_traits::DenialKind;
use countersign_core::model::words::{Outcome, Reason};
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

    /// For a decision.
    pub const fn from_outcome(outcome: Outcome, reason: Reason) -> Self {
        match outcome {
            Outcome::Allow | Outcome::Notify => Self::Allowed,
            Outcome::Ask => Self::Pending,
            Outcome::Deny => Self::from_denial(reason),
        }
    }

    pub const fn from_denial(reason: Reason) -> Self {
        match reason.traits().denial {
            DenialKind::Blocked => Self::Blocked,
            DenialKind::Declined => Self::Declined,
            DenialKind::Expired => Self::Expired,
            DenialKind::NoOperator => Self::NoOperator,
        }
    }

    pub const fn code(self) -> u8 {
        self.describe().0
    }

    /// The code, and what it means.
    const fn describe(self) -> (u8, &'static str) {
        match self {
            Self::Allowed => (0, "allowed, or done"),
            Self::Failure => (1, "failure; treat it as no"),
            Self::Usage => (2, "the command line is wrong"),
            Self::Declined => (3, "the operator declined"),
            Self::NotAuthenticated => (4, "not authenticated"),
            Self::Blocked => (5, "blocked by the graph"),
            Self::Cancelled => (6, "cancelled"),
            Self::Expired => (7, "expired"),
            Self::Pending => (8, "an operator has to answer first"),
            Self::NoOperator => (9, "no operator can be reached"),
            Self::Command(code) => (code, "the exit code of the command"),
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
            | ClientError::ForeignDaemon { .. }
            | ClientError::NotAFolder { .. }
            | ClientError::Lost(_)
            | ClientError::Unreadable(_)
            | ClientError::Unwritable(_) => Self::Failure,
        }
    }

    /// All codes, for `--help`.
    pub fn help_table() -> String {
        let lines = Self::ALL.map(|exit| {
            let (code, meaning) = exit.describe();
            format!("  {code}  {meaning}")
        });
        format!("Exit codes (only 0 is yes):\n{}", lines.join("\n"))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_calls_exit_with_zero() {
        for outcome in Outcome::ALL {
            for reason in Reason::ALL {
                let zero = Exit::from_outcome(*outcome, *reason).code() == 0;
                let goes_ahead = matches!(outcome, Outcome::Allow | Outcome::Notify);
                assert_eq!(zero, goes_ahead, "{outcome} {reason}");
            }
        }
    }

    #[test]
    fn denials_that_a_script_can_act_on_have_their_own_codes() {
        let code = |reason| Exit::from_outcome(Outcome::Deny, reason).code();
        assert_eq!(code(Reason::DeclinedBefore), 3);
        assert_eq!(code(Reason::Expired), 7);
        assert_eq!(code(Reason::NoOperator), 9);
        assert_eq!(code(Reason::Blocked), 5);
        assert_eq!(code(Reason::ChannelRequired), 5);
    }
}
