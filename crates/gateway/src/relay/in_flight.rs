//! The requests of a client that are open, and how one is cancelled.

use super::lock;
use crate::limits;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Tells whether the client has cancelled a request.
#[derive(Clone, Default)]
pub(crate) struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    is_cancelled: AtomicBool,
    notify: Notify,
}

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
        self.0.notify.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    pub(crate) async fn wait(&self) {
        // Registered before the flag is read, so that no cancellation between the two is missed.
        let notified = self.0.notify.notified();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

#[derive(Default)]
pub(super) struct InFlightRequests {
    by_id: Mutex<HashMap<String, Cancel>>,
}

pub(super) enum StartError {
    SameId,
    TooMany,
}

impl InFlightRequests {
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.by_id).is_empty()
    }

    pub(super) fn start(&self, id: &str, cancel: &Cancel) -> Result<(), StartError> {
        let mut by_id = lock(&self.by_id);
        if by_id.contains_key(id) {
            return Err(StartError::SameId);
        }
        if by_id.len() >= limits::MAX_IN_FLIGHT {
            return Err(StartError::TooMany);
        }
        by_id.insert(id.to_owned(), cancel.clone());
        Ok(())
    }

    pub(super) fn end(&self, id: &str) {
        lock(&self.by_id).remove(id);
    }

    pub(super) fn cancel(&self, id: &str) {
        if let Some(cancel) = lock(&self.by_id).get(id) {
            cancel.cancel();
        }
    }
}
