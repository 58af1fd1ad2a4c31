//! What a call that waits or runs rests on.

use countersign_core::model::grant::Grant;
use countersign_core::model::time::Time;
use countersign_core::state::{CallRecord, CallState, ConsentStanding, State};

/// What a call that is not over needs of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationConsent {
    Granted,
    Required,
    /// A rule lets it pass.
    NotApplicable,
}

impl OperationConsent {
    pub fn of_call(record: &CallRecord) -> Self {
        match (record.state, record.consent.standing) {
            (CallState::Approved, _) | (CallState::Executing, ConsentStanding::Given) => {
                Self::Granted
            }
            (CallState::Executing, ConsentStanding::None) => Self::NotApplicable,
            _ => Self::Required,
        }
    }
}

/// The grant that a call rests on, or that the answer to its question gave it.
pub fn find_grant_of<'a>(state: &'a State, record: &CallRecord, now: Time) -> Option<&'a Grant> {
    let used = record.consent.grants.iter().find_map(|id| state.grants.get(*id));
    let is_answer = |grant: &&Grant| {
        grant.in_force(now) && grant.request.is_some_and(|id| record.requests.contains(&id))
    };
    used.or_else(|| state.grants.iter().find(is_answer))
}
