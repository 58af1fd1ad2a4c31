//! The session that a recorded attempt belongs to.

use countersign_core::model::change::Attempt;
use countersign_core::model::names::SessionKey;
use countersign_core::state::State;

/// The session of an attempt, which is known even if the words of its call were erased.
pub(crate) fn find_session(state: &State, attempt: &Attempt) -> Option<SessionKey> {
    match attempt {
        Attempt::First(call) => Some(call.session.clone()),
        Attempt::Retry(id) => state.calls.get(id).map(|record| record.call.session.clone()),
        Attempt::Start { draft, .. } => Some(draft.session.clone()),
        Attempt::Ahead { draft, .. } => Some(draft.session.clone()),
        Attempt::Proposal { draft, .. } => Some(draft.session.clone()),
        Attempt::Apply { session, .. } | Attempt::Malformed { session, .. } => {
            Some(session.clone())
        }
    }
}
