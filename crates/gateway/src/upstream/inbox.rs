//! What a server sends: responses go to their requests, everything else to the client's relay.

use crate::wire::{Kind, Message};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A notification or a request of a server.
pub(crate) struct UpstreamEvent {
    pub(crate) message: Message,
    /// The request to which it belongs, if the transport tells.
    pub(crate) request: Option<u64>,
}

/// Takes what is not a response, in the order of its arrival. A server's next message is read after
/// it, so that a flood slows down its own server.
pub(crate) type EventHandler =
    Box<dyn Fn(UpstreamEvent) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

pub(crate) struct Inbox {
    /// None once the connection has ended.
    pending: Mutex<Option<HashMap<u64, oneshot::Sender<Message>>>>,
    handler: EventHandler,
}

impl Inbox {
    pub(crate) fn new(handler: EventHandler) -> Self {
        Self { pending: Mutex::new(Some(HashMap::new())), handler }
    }

    /// None if the connection has ended.
    pub(super) fn expect_response(&self, id: u64) -> Option<oneshot::Receiver<Message>> {
        let (sender, receiver) = oneshot::channel();
        self.lock().as_mut()?.insert(id, sender);
        Some(receiver)
    }

    pub(super) fn forget(&self, id: u64) {
        if let Some(pending) = self.lock().as_mut() {
            pending.remove(&id);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// Ends the connection: everybody who waits for a response learns that none will come.
    pub(super) fn close(&self) {
        *self.lock() = None;
    }

    pub(super) async fn deliver(&self, message: Message, request: Option<u64>) {
        if message.kind() != Kind::Response {
            return (self.handler)(UpstreamEvent { message, request }).await;
        }
        let id = message.id().parse::<u64>().ok();
        let sender = id.and_then(|id| self.lock().as_mut()?.remove(&id));
        // Nobody waits for a second answer, or for one to a request that was never sent.
        if let Some(sender) = sender {
            let _gone = sender.send(message);
        }
    }

    /// No change here is ever half done, so a poisoned lock is safe to use.
    fn lock(&self) -> MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Message>>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
