//! The queue of revocations, stops and pauses that the store did not take.

use crate::answer_target::AnswerTarget;
use countersign_conversation::Turn;
use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::model::request::Answer;
use countersign_core::steps::revoke::Revoke;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingRevocation {
    Revoke(SessionKey, Revoke),
    Pause(Agent),
    /// A turn that only makes things stricter: a stop, a revocation, a reset, a dry run.
    Turn(Turn),
    DeclineAndStop(AnswerTarget, Box<Answer>),
}

#[derive(Default)]
pub(crate) struct RevocationQueue {
    pub(crate) is_any: AtomicBool,
    pub(crate) queue: Mutex<Vec<PendingRevocation>>,
}

impl RevocationQueue {
    pub(crate) fn is_any(&self) -> bool {
        self.is_any.load(Ordering::SeqCst)
    }
}
