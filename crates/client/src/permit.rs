//! Proof that the daemon allowed a call, for programs that execute calls themselves.

use countersign_api::{CheckResponse, CheckStatus};
use countersign_core::model::ids::CallId;

/// Made only from a response that allows the call, and never copied: executing the call consumes
/// it, and leaves the id under which its end is reported.
#[must_use]
#[derive(Debug)]
pub struct OperationPermit {
    operation: CallId,
}

impl OperationPermit {
    /// None unless the response allows the call.
    pub fn from_response(response: &CheckResponse) -> Option<Self> {
        match (response.status, response.operation_id) {
            (CheckStatus::Allowed, Some(operation)) => Some(Self { operation }),
            (
                CheckStatus::Allowed
                | CheckStatus::AlreadyDone
                | CheckStatus::Pending
                | CheckStatus::Denied,
                _,
            ) => None,
        }
    }

    /// Uses the permit up.
    pub fn consume(self) -> CallId {
        self.operation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::words::{Outcome, Reason};

    fn response(status: CheckStatus) -> CheckResponse {
        CheckResponse {
            status,
            outcome: Outcome::Allow,
            reason: Reason::Granted,
            sentence: String::new(),
            operation_id: CallId::parse("c001005019b8d62863870018000000000"),
            note: String::new(),
            announcements: Vec::new(),
            question: None,
            narrowed: None,
            input: None,
            parent_token: None,
        }
    }

    #[test]
    fn only_an_allowed_call_has_a_permit() {
        assert!(OperationPermit::from_response(&response(CheckStatus::Allowed)).is_some());
        for status in [CheckStatus::AlreadyDone, CheckStatus::Pending, CheckStatus::Denied] {
            assert!(OperationPermit::from_response(&response(status)).is_none(), "{status:?}");
        }
        let unnamed = CheckResponse { operation_id: None, ..response(CheckStatus::Allowed) };
        assert!(OperationPermit::from_response(&unnamed).is_none());
    }
}
