//! Exit codes: the answer for scripts. Only 0 is yes.
//!
//! Outcomes, statuses and errors are mapped to exit codes here and nowhere else.

use countersign_api::{
    AheadStatus, AskAheadResponse, CheckResponse, CheckStatus, OwnRunView, RunStatus,
    StartRunResponse, StartStatus,
};
use countersign_client::ClientError;
use countersign_commands::CommandVerdict;
use countersign_core::model::decision::Decision;
use countersign_core::model::words::{Outcome, Reason, RunEnding};
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
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
    pub(crate) const ALL: [Self; 10] = [
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

    pub(crate) const fn code(self) -> u8 {
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

    /// For a decision of this process.
    pub(crate) fn from_decision(decision: &Decision) -> Self {
        match decision.outcome {
            Outcome::Allow | Outcome::Notify => Self::Allowed,
            Outcome::Ask => Self::Pending,
            Outcome::Deny => Self::from_denial(decision.reason),
        }
    }

    /// For a decision of the daemon.
    pub(crate) fn from_check(response: &CheckResponse) -> Self {
        match response.status {
            CheckStatus::Allowed | CheckStatus::AlreadyDone => Self::Allowed,
            CheckStatus::Pending => Self::Pending,
            CheckStatus::Denied => Self::from_denial(response.reason),
        }
    }

    /// For a question ahead of a call. A yes without a grant is no yes to the call.
    pub(crate) fn from_ahead(response: &AskAheadResponse) -> Self {
        match (response.status, response.granted) {
            (AheadStatus::Approved, true) => Self::Allowed,
            (AheadStatus::Approved, false) if response.reason == Reason::Expired => Self::Expired,
            (AheadStatus::Approved, false) | (AheadStatus::Pending, _) => Self::Pending,
            (AheadStatus::Declined, _) => Self::Declined,
            (AheadStatus::Cancelled, _) => Self::Cancelled,
            (AheadStatus::Expired, _) => Self::Expired,
            (AheadStatus::Denied, _) => Self::from_denial(response.reason),
        }
    }

    /// For the start of a run.
    pub(crate) fn from_start(response: &StartRunResponse) -> Self {
        match response.status {
            StartStatus::Started => Self::Allowed,
            StartStatus::Pending => Self::Pending,
            StartStatus::Declined => Self::Declined,
            StartStatus::Cancelled => Self::Cancelled,
            StartStatus::Expired => Self::Expired,
            StartStatus::Denied => Self::from_denial(response.reason),
        }
    }

    /// For the state of a run: only a live one carries calls.
    pub(crate) fn from_run(run: &OwnRunView) -> Self {
        let is_cancelled = run.ended.is_some_and(|end| end.how == RunEnding::Cancelled);
        match run.state {
            RunStatus::Ended if is_cancelled => Self::Cancelled,
            RunStatus::Live => Self::Allowed,
            RunStatus::Pending | RunStatus::Suspended => Self::Pending,
            RunStatus::Declined => Self::Declined,
            RunStatus::Cancelled => Self::Cancelled,
            RunStatus::Expired | RunStatus::Ended => Self::Expired,
        }
    }

    /// For the verdict of command rules.
    pub(crate) const fn from_verdict(verdict: &CommandVerdict) -> Self {
        match verdict {
            CommandVerdict::Match { .. } => Self::Allowed,
            CommandVerdict::Ask { .. } => Self::Pending,
            CommandVerdict::Deny { .. } => Self::Blocked,
        }
    }

    /// For a daemon that is unreachable or refuses.
    pub(crate) fn from_client_error(error: &ClientError) -> Self {
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

    const fn from_denial(reason: Reason) -> Self {
        match reason {
            Reason::DeclinedBefore => Self::Declined,
            Reason::Expired => Self::Expired,
            Reason::NoOperator => Self::NoOperator,
            Reason::Malformed
            | Reason::NoGraph
            | Reason::Paused
            | Reason::Blocked
            | Reason::SelfProtection
            | Reason::ChannelRequired
            | Reason::DiffMissing
            | Reason::UndoMissing
            | Reason::Cooling
            | Reason::Granted
            | Reason::Gesture
            | Reason::DryRun
            | Reason::FanOut
            | Reason::ToolChanged
            | Reason::UnresolvedPath
            | Reason::PreviouslyDeclined
            | Reason::Unclassified
            | Reason::Individual
            | Reason::AlwaysAsk
            | Reason::TooRiskyToCarry
            | Reason::NoGrant
            | Reason::Nested
            | Reason::Reduced
            | Reason::Autonomous
            | Reason::ReadOnly
            | Reason::Idle
            | Reason::Plan
            | Reason::Visible
            | Reason::Decayed
            | Reason::TooManyAsks
            | Reason::TooManyOpen
            | Reason::Bypassed
            | Reason::AlreadyDone
            | Reason::Running
            | Reason::Stopped
            | Reason::Cancelled
            | Reason::UnknownEffect => Self::Blocked,
        }
    }

    /// All codes, for `--help`.
    pub(crate) fn help_table() -> String {
        let lines = Self::ALL.map(|exit| format!("  {}  {}", exit.code(), exit.meaning()));
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
    use countersign_core::model::decision::{Basis, Nearest};

    #[test]
    fn only_allowed_calls_exit_with_zero() {
        for outcome in Outcome::ALL {
            for reason in Reason::ALL {
                let decision = Decision::whole(*outcome, *reason, Basis::Call, Nearest::WellFormed);
                let zero = Exit::from_decision(&decision).code() == 0;
                assert_eq!(zero, decision.goes_ahead(), "{outcome} {reason}");
            }
        }
    }

    #[test]
    fn denials_that_a_script_can_act_on_have_their_own_codes() {
        let code = |reason| {
            Exit::from_decision(&Decision::whole(
                Outcome::Deny,
                reason,
                Basis::Call,
                Nearest::Answer,
            ))
            .code()
        };
        assert_eq!(code(Reason::DeclinedBefore), 3);
        assert_eq!(code(Reason::Expired), 7);
        assert_eq!(code(Reason::NoOperator), 9);
        assert_eq!(code(Reason::Blocked), 5);
        assert_eq!(code(Reason::ChannelRequired), 5);
    }
}
