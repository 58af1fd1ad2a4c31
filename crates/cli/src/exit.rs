//! Maps outcomes and statuses to exit codes. No other module does.

use countersign_api::{
    AheadStatus, AskAheadResponse, CheckResponse, CheckStatus, OwnRunView, RunStatus,
    StartRunResponse, StartStatus,
};
use countersign_commands::CommandVerdict;
use countersign_console::Exit;
use countersign_core::model::decision::Decision;
use countersign_core::model::reason_traits::DenialKind;
use countersign_core::model::words::{Outcome, Reason, RunEnding};
use countersign_simulate::SimulatedDecision;

/// For a decision of this process.
pub(crate) fn from_decision(decision: &Decision) -> Exit {
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => Exit::Allowed,
        Outcome::Ask => Exit::Pending,
        Outcome::Deny => from_denial(decision.reason),
    }
}

/// For a decision about a call that nobody made.
pub(crate) fn from_simulation(decision: &SimulatedDecision) -> Exit {
    match decision.outcome {
        Outcome::Allow | Outcome::Notify => Exit::Allowed,
        Outcome::Ask => Exit::Pending,
        Outcome::Deny => from_denial(decision.reason),
    }
}

/// For a decision of the daemon.
pub(crate) fn from_check(response: &CheckResponse) -> Exit {
    match response.status {
        CheckStatus::Allowed | CheckStatus::AlreadyDone => Exit::Allowed,
        CheckStatus::Pending => Exit::Pending,
        CheckStatus::Denied => from_denial(response.reason),
    }
}

/// For a question ahead of a call. A yes without a grant is no yes to the call.
pub(crate) fn from_ahead(response: &AskAheadResponse) -> Exit {
    match (response.status, response.granted) {
        (AheadStatus::Approved, true) => Exit::Allowed,
        (AheadStatus::Approved, false) if response.reason == Reason::Expired => Exit::Expired,
        (AheadStatus::Approved, false) | (AheadStatus::Pending, _) => Exit::Pending,
        (AheadStatus::Declined, _) => Exit::Declined,
        (AheadStatus::Cancelled, _) => Exit::Cancelled,
        (AheadStatus::Expired, _) => Exit::Expired,
        (AheadStatus::Denied, _) => from_denial(response.reason),
    }
}

/// For the start of a run.
pub(crate) fn from_start(response: &StartRunResponse) -> Exit {
    match response.status {
        StartStatus::Started => Exit::Allowed,
        StartStatus::Pending => Exit::Pending,
        StartStatus::Declined => Exit::Declined,
        StartStatus::Cancelled => Exit::Cancelled,
        StartStatus::Expired => Exit::Expired,
        StartStatus::Denied => from_denial(response.reason),
    }
}

/// For the state of a run: only a live one carries calls.
pub(crate) fn from_run(run: &OwnRunView) -> Exit {
    let is_cancelled = run.ended.is_some_and(|end| end.how == RunEnding::Cancelled);
    match run.state {
        RunStatus::Ended if is_cancelled => Exit::Cancelled,
        RunStatus::Live => Exit::Allowed,
        RunStatus::Pending | RunStatus::Suspended => Exit::Pending,
        RunStatus::Declined => Exit::Declined,
        RunStatus::Cancelled => Exit::Cancelled,
        RunStatus::Expired | RunStatus::Ended => Exit::Expired,
    }
}

/// For the verdict of command rules.
pub(crate) const fn from_verdict(verdict: &CommandVerdict) -> Exit {
    match verdict {
        CommandVerdict::Match { .. } => Exit::Allowed,
        CommandVerdict::Ask { .. } => Exit::Pending,
        CommandVerdict::Deny { .. } => Exit::Blocked,
    }
}

const fn from_denial(reason: Reason) -> Exit {
    match reason.traits().denial {
        DenialKind::Blocked => Exit::Blocked,
        DenialKind::Declined => Exit::Declined,
        DenialKind::Expired => Exit::Expired,
        DenialKind::NoOperator => Exit::NoOperator,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::decision::{Basis, NearestChange};

    #[test]
    fn only_allowed_calls_exit_with_zero() {
        for outcome in Outcome::ALL {
            for reason in Reason::ALL {
                let decision = Decision::for_whole_call(
                    *outcome,
                    *reason,
                    Basis::Call,
                    NearestChange::WellFormed,
                );
                let zero = from_decision(&decision).code() == 0;
                assert_eq!(zero, decision.goes_ahead(), "{outcome} {reason}");
            }
        }
    }

    #[test]
    fn denials_that_a_script_can_act_on_have_their_own_codes() {
        let code = |reason| {
            from_decision(&Decision::for_whole_call(
                Outcome::Deny,
                reason,
                Basis::Call,
                NearestChange::Answer,
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
