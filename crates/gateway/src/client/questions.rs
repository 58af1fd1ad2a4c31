//! Requests to the client: those of its servers, and our own.

use super::reply::ReplySender;
use crate::limits;
use crate::locks::lock;
use crate::wire::{Message, notification, request};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::oneshot;

#[derive(Default)]
pub(crate) struct ClientQuestions {
    next: AtomicU64,
    open: Mutex<HashMap<String, oneshot::Sender<Message>>>,
}

impl ClientQuestions {
    /// Sends the client a question. None if too many are open.
    pub(crate) async fn ask(
        &self,
        reply: &ReplySender,
        method: &str,
        params: &str,
    ) -> Option<OpenQuestion<'_>> {
        let question = self.add()?;
        reply.send(request(&question.id, method, params)).await;
        Some(question)
    }

    fn add(&self) -> Option<OpenQuestion<'_>> {
        let mut open = lock(&self.open);
        if open.len() >= limits::MAX_ASKED {
            return None;
        }
        let id = format!("\"countersign-{}\"", self.next.fetch_add(1, Ordering::Relaxed));
        let (sender, answer) = oneshot::channel();
        open.insert(id.clone(), sender);
        Some(OpenQuestion { questions: self, id, answer })
    }

    /// A response that fits no question is dropped.
    pub(crate) fn settle(&self, message: Message) {
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
pub(crate) struct OpenQuestion<'q> {
    questions: &'q ClientQuestions,
    id: String,
    answer: oneshot::Receiver<Message>,
}

impl OpenQuestion<'_> {
    /// The client's response. None if the client is gone.
    pub(crate) async fn wait(&mut self) -> Option<Message> {
        (&mut self.answer).await.ok()
    }

    /// Tells the client that nobody waits for its answer any more.
    pub(crate) async fn withdraw(&self, reply: &ReplySender) {
        let reason = "it was answered elsewhere, or is no longer held";
        let params = format!("{{\"requestId\":{},\"reason\":\"{reason}\"}}", self.id);
        reply.send(notification("notifications/cancelled", &params)).await;
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        lock(&self.questions.open).remove(&self.id);
    }
}
