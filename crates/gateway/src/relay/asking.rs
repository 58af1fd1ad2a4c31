//! Requests of servers to the client: sampling, elicitation, roots.

use super::{Relay, lock};
use crate::limits;
use crate::wire::Message;
use crate::wire::message::{error_object, request};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::oneshot;

/// What a client answered: a result, or an error object.
pub(crate) type ClientAnswer = Result<String, String>;

#[derive(Default)]
pub(super) struct AskedRequests {
    next: AtomicU64,
    open: Mutex<HashMap<String, oneshot::Sender<Message>>>,
}

impl AskedRequests {
    fn start(&self) -> Option<(String, oneshot::Receiver<Message>)> {
        let mut open = lock(&self.open);
        if open.len() >= limits::MAX_ASKED {
            return None;
        }
        let id = format!("\"countersign-{}\"", self.next.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = oneshot::channel();
        open.insert(id.clone(), sender);
        Some((id, receiver))
    }

    /// A response that fits no request is dropped.
    pub(super) fn settle(&self, message: Message) {
        if let Some(sender) = lock(&self.open).remove(message.id()) {
            let _gone = sender.send(message);
        }
    }

    /// Nobody will answer any more.
    pub(super) fn close(&self) {
        lock(&self.open).clear();
    }
}

impl Relay {
    /// Asks the client, and waits for its answer. `request` is the client's own request to which the
    /// question belongs, if that is known.
    pub(crate) async fn ask_client(
        &self,
        method: &str,
        params: &str,
        related: Option<u64>,
    ) -> ClientAnswer {
        let refusal = || error_object(-32603, "the client cannot be asked now");
        let reply = self.routes.find_reply(related).or_else(|| self.outlet());
        let reply = reply.or_else(|| self.routes.find_newest_reply()).ok_or_else(refusal)?;
        let (id, answer) = self.asked.start().ok_or_else(refusal)?;
        reply.send(request(&id, method, params)).await;
        let message = answer.await.map_err(|_| refusal())?;
        match (message.result(), message.error()) {
            (Some(result), _) => Ok(result.to_owned()),
            (None, Some(error)) => Err(error.to_owned()),
            (None, None) => Err(refusal()),
        }
    }
}
