//! Requests of servers to the client: sampling, elicitation, roots.

use super::{Relay, Reply, lock};
use crate::limits;
use crate::wire::Message;
use crate::wire::message::{error_object, notification, request};
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

/// A question that the client has not answered yet. It is forgotten with this value.
pub(crate) struct OpenQuestion<'r> {
    asked: &'r AskedRequests,
    id: String,
    answer: oneshot::Receiver<Message>,
}

impl OpenQuestion<'_> {
    /// The client's result. None if it refused or is gone.
    pub(crate) async fn wait(&mut self) -> Option<String> {
        let message = (&mut self.answer).await.ok()?;
        message.result().map(str::to_owned)
    }

    /// Tells the client that nobody waits for its answer any more.
    pub(crate) async fn withdraw(&self, reply: &Reply) {
        let reason = "it was answered elsewhere, or is no longer held";
        let params = format!("{{\"requestId\":{},\"reason\":\"{reason}\"}}", self.id);
        reply.send(notification("notifications/cancelled", &params)).await;
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        lock(&self.asked.open).remove(&self.id);
    }
}

impl Relay {
    /// Sends the client a question of our own.
    pub(crate) async fn start_question(
        &self,
        reply: &Reply,
        method: &str,
        params: &str,
    ) -> Option<OpenQuestion<'_>> {
        let (id, answer) = self.asked.start()?;
        let open = OpenQuestion { asked: &self.asked, id, answer };
        reply.send(request(&open.id, method, params)).await;
        Some(open)
    }

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
