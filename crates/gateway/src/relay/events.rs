//! What servers send on their own: progress, notifications, questions to the client.

use super::exchange::restore_progress_token;
use super::slots::ServerSlot;
use super::{Relay, lock};
use crate::call::tools::ToolTable;
use crate::era::Era;
use crate::upstream::{Upstream, UpstreamEvent};
use crate::wire::json_text::find;
use crate::wire::message::{error_response, response};
use crate::wire::{Kind, Message};
use std::sync::Arc;

impl Relay {
    pub(super) async fn handle_event(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        event: UpstreamEvent,
    ) {
        match event.message.kind() {
            Kind::Notification => self.pass_notification(slot, &event.message).await,
            Kind::Request => self.pass_request(slot, event).await,
            Kind::Response => {}
        }
    }

    async fn pass_notification(&self, slot: &ServerSlot, message: &Message) {
        match message.method() {
            "notifications/progress" => return self.pass_progress(message).await,
            "notifications/tools/list_changed" => *lock(&slot.tools) = ToolTable::default(),
            // The server gives up a question. The client's answer to it will find nobody.
            "notifications/cancelled" => return,
            _ => {}
        }
        self.notify_client(message).await;
    }

    /// Progress goes only to the request that asked for it, under the client's own token.
    async fn pass_progress(&self, message: &Message) {
        let number = find(message.params(), &["progressToken"]).and_then(|t| t.parse().ok());
        let route = number.and_then(|number| self.routes.find_progress(number));
        let Some((reply, token)) = route else { return };
        if let Some(text) = restore_progress_token(message, &token) {
            reply.send(text).await;
        }
    }

    async fn pass_request(self: &Arc<Self>, slot: &Arc<ServerSlot>, event: UpstreamEvent) {
        let Some(upstream) = slot.current() else { return };
        let message = event.message;
        if message.method() == "ping" {
            return upstream.forward(response(message.id(), "{}")).await;
        }
        match self.client().map(|client| client.era) {
            Some(Era::Legacy) => {
                let relay = Arc::clone(self);
                tokio::spawn(
                    async move { relay.pass_question(upstream, message, event.request).await },
                );
            }
            Some(Era::Modern) => self.queue_question(&upstream, message, event.request).await,
            None => upstream.answer_error(message.id(), -32601, "there is no client yet").await,
        }
    }

    /// A legacy client is asked directly.
    async fn pass_question(&self, upstream: Arc<Upstream>, message: Message, related: Option<u64>) {
        let answer = self.ask_client(message.method(), message.params(), related).await;
        let text = match answer {
            Ok(result) => response(message.id(), &result),
            Err(error) => error_response(message.id(), &error),
        };
        upstream.forward(text).await;
    }

    /// A modern client is asked by the result of the request to which the question belongs.
    async fn queue_question(&self, upstream: &Upstream, message: Message, related: Option<u64>) {
        let capability = match message.method() {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => "",
        };
        let is_declared = self.client().is_some_and(|client| client.has_capability(&[capability]));
        let questions = self.routes.find_questions(related).filter(|_| is_declared);
        let id = message.id().to_owned();
        let is_queued = questions.is_some_and(|questions| questions.try_send(message).is_ok());
        if !is_queued {
            upstream.answer_error(&id, -32601, "the client cannot be asked this").await;
        }
    }
}
