//! What an answer is about.

use crate::{ReadScope, RowKey};
use countersign_core::model::ids::{CallId, RequestId, RunId};
use countersign_core::model::request::{Request, Subject};
use countersign_core::state::State;

/// What an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerTarget {
    /// All requests of one call.
    Call(CallId),
    Request(RequestId),
    /// The start of a run.
    Start(RunId),
}

impl AnswerTarget {
    pub(crate) fn scope(self) -> ReadScope {
        ReadScope::for_row(match self {
            Self::Call(call) => RowKey::Call(call),
            Self::Request(request) => RowKey::Request(request),
            Self::Start(run) => RowKey::Run(run),
        })
    }

    pub(crate) fn matches(self, state: &State, request: &Request) -> bool {
        match self {
            Self::Call(call) => {
                state.calls.get(&call).is_some_and(|record| record.requests.contains(&request.id))
            }
            Self::Request(id) => request.id == id,
            Self::Start(run) => {
                matches!(&request.subject, Subject::Start(start) if start.run == run)
            }
        }
    }
}
