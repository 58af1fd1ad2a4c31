//! The queue of revocations and pauses that the store did not take.

use countersign_core::model::names::{Agent, SessionKey};
use countersign_core::steps::revoke::Revoke;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingRevocation {
    Revoke(SessionKey, Revoke),
    Pause(Agent),
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
