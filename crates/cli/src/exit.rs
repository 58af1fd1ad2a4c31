//! Maps outcomes and statuses to exit codes. No other module does.

use countersign_api::{
    AheadStatus, AskAheadResponse, CheckResponse, CheckStatus, OwnRunView, RunStatus,
    StartRunResponse, StartStatus,
};
use countersign_console::Exit;
use countersign_core::model::words::{Reason, RunEnding};

/// For a decision of the daemon.
pub(crate) fn from_check(response: &CheckResponse) -> Exit {
    match response.status {
        CheckStatus::Allowed | CheckStatus::AlreadyDone => Exit::Allowed,
        CheckStatus::Pending => Exit::Pending,
        CheckStatus::Denied => Exit::from_denial(response.reason),
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
        (AheadStatus::Denied, _) => Exit::from_denial(response.reason),
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
        StartStatus::Denied => Exit::from_denial(response.reason),
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
