//! Revocations, stops and pauses that the store did not take.
//!
//! The operator gets an error. Until the store has taken them, this engine decides nothing; it
//! tries them again before every step.
//!
//! See docs/decisions/0022-completions-and-failed-writes.md.

use crate::revocation_queue::PendingRevocation;
use crate::{Engine, EngineError, Store, limits};
use std::sync::atomic::Ordering;

impl<S: Store> Engine<S> {
    /// Queues a revocation whose commit failed, and returns that failure.
    pub(crate) fn queue_if_unwritten<T>(
        &self,
        revocation: impl FnOnce() -> PendingRevocation,
        result: Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let cause = match result {
            Err(EngineError::Store(cause)) => cause.to_string(),
            Err(EngineError::Contended(cause)) => cause.to_string(),
            other => return other,
        };
        let revocation = revocation();
        let mut queue = self.pending_revocations.queue.lock().map_err(|_| EngineError::Damaged)?;
        if !queue.contains(&revocation) {
            queue.push(revocation);
        }
        self.pending_revocations.is_any.store(true, Ordering::SeqCst);
        Err(EngineError::Unwritten(cause))
    }

    pub(crate) fn write_pending_revocations(&self) -> Result<(), EngineError> {
        let pending = &self.pending_revocations;
        if !pending.is_any() {
            return Ok(());
        }
        let mut queue = pending.queue.lock().map_err(|_| EngineError::Damaged)?;
        if queue.len() > limits::MAX_PENDING_REVOCATIONS {
            return Err(EngineError::Damaged);
        }
        while let Some(first) = queue.first() {
            match first {
                PendingRevocation::Revoke(session, what) => {
                    self.write_revocation(session, what)?;
                }
                PendingRevocation::Pause(agent) => self.write_pause(agent)?,
                PendingRevocation::Turn(turn) => drop(self.write_turn(turn)?),
                PendingRevocation::DeclineAndStop(target, answer) => {
                    self.write_decline_and_stop(*target, answer)?;
                }
            }
            queue.remove(0);
        }
        pending.is_any.store(false, Ordering::SeqCst);
        Ok(())
    }
}
