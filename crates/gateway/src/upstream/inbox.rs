//! What a server sends: responses go to their requests, everything else to the handler of the client.

use crate::locks::lock;
use crate::wire::{Message, MessageKind};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Mutex;
use tokio::sync::oneshot;

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// The server has received nothing.
    NotSent(String),
    /// Whether the server has received it is unknown.
    Unsure(String),
}

impl SendError {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::NotSent(why) | Self::Unsure(why) => why,
        }
    }
}

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

/// The response to a request, or why it cannot be read.
pub(super) type ServerAnswer = Result<Message, String>;

pub(crate) struct Inbox {
    /// None once the connection has ended.
    pending: Mutex<Option<HashMap<u64, oneshot::Sender<ServerAnswer>>>>,
    handler: EventHandler,
}

impl Inbox {
    pub(super) fn new(handler: EventHandler) -> Self {
        Self { pending: Mutex::new(Some(HashMap::new())), handler }
    }

    /// None if the connection has ended.
    pub(super) fn expect_response(&self, id: u64) -> Option<oneshot::Receiver<ServerAnswer>> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.pending).as_mut()?.insert(id, sender);
        Some(receiver)
    }

    pub(super) fn forget(&self, id: u64) {
        if let Some(pending) = lock(&self.pending).as_mut() {
            pending.remove(&id);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        lock(&self.pending).is_some()
    }

    /// Ends the requests that a message names which cannot be read: no other answer will come.
    pub(super) fn refuse_responses(&self, ids: Vec<u64>, why: &str) {
        for id in ids {
            let sender = lock(&self.pending).as_mut().and_then(|pending| pending.remove(&id));
            if let Some(sender) = sender {
                let _gone = sender.send(Err(format!("the server's answer cannot be read: {why}")));
            }
        }
    }

    /// Ends the connection: everybody who waits for a response learns that none will come.
    pub(super) fn close(&self) {
        *lock(&self.pending) = None;
    }

    pub(super) async fn deliver(&self, message: Message, request: Option<u64>) {
        if message.kind() != MessageKind::Response {
            return (self.handler)(UpstreamEvent { message, request }).await;
        }
        let id = message.id().parse::<u64>().ok();
        let sender = id.and_then(|id| lock(&self.pending).as_mut()?.remove(&id));
        // Nobody waits for a second answer, or for one to a request that was never sent.
        if let Some(sender) = sender {
            let _gone = sender.send(Ok(message));
        }
    }
}
