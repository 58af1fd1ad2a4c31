//! The requests of a client that are open, and how one is cancelled.

use crate::limits;
use crate::locks::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::watch;

/// Tells whether the client has cancelled a request.
#[derive(Clone, Default)]
pub(crate) struct Cancel(watch::Sender<bool>);

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn wait(&self) {
        let mut changes = self.0.subscribe();
        // It cannot be closed: `self` is a sender.
        let _cancelled = changes.wait_for(|is_cancelled| *is_cancelled).await.map(drop);
    }
}

#[derive(Default)]
pub(crate) struct InFlightRequests {
    by_id: Mutex<HashMap<String, Cancel>>,
}

pub(crate) enum StartError {
    SameId,
    TooMany,
}

impl InFlightRequests {
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.by_id).is_empty()
    }

    pub(crate) fn start(&self, id: &str, cancel: &Cancel) -> Result<(), StartError> {
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

    pub(crate) fn end(&self, id: &str) {
        lock(&self.by_id).remove(id);
    }

    pub(crate) fn cancel(&self, id: &str) {
        if let Some(cancel) = lock(&self.by_id).get(id) {
            cancel.cancel();
        }
    }
}
