//! What servers send on their own: progress, notifications, questions to the client.

use super::asker::name_asker;
use super::connection::Upstream;
use super::inbox::UpstreamEvent;
use super::slot::ServerSlot;
use crate::client::ClientConnection;
use crate::wire::{
    Era, Members, Message, MessageKind, error_response, find, replace_range, response,
};
use std::sync::Arc;

pub(super) async fn handle_event(
    slot: &ServerSlot,
    client: &Arc<ClientConnection>,
    event: UpstreamEvent,
) {
    match event.message.kind() {
        MessageKind::Notification => pass_notification(slot, client, &event.message).await,
        MessageKind::Request => pass_request(slot, client, event).await,
        MessageKind::Response => {}
    }
}

async fn pass_notification(slot: &ServerSlot, client: &ClientConnection, message: &Message) {
    match message.method() {
        "notifications/progress" => return pass_progress(client, message).await,
        "notifications/tools/list_changed" => slot.forget_tools(),
        // The server gives up a question. The client's answer to it will find nobody.
        "notifications/cancelled" => return,
        _ => {}
    }
    client.notify(message).await;
}

/// Progress goes only to the request that asked for it, under the client's own token.
async fn pass_progress(client: &ClientConnection, message: &Message) {
    let number = find(message.params(), &["progressToken"]).and_then(|t| t.parse().ok());
    let route = number.and_then(|number| client.routes.find_progress(number));
    let Some((reply, token)) = route else { return };
    if let Some(text) = restore_progress_token(message, &token) {
        reply.send(text).await;
    }
}

/// A progress notification with the client's own token.
fn restore_progress_token(message: &Message, token: &str) -> Option<String> {
    let members = Members::read(message.params())?;
    let range = members.range("progressToken")?;
    Some(message.with_params(&replace_range(message.params(), range, token)))
}

async fn pass_request(slot: &ServerSlot, client: &Arc<ClientConnection>, event: UpstreamEvent) {
    let Some(upstream) = slot.current() else { return };
    let UpstreamEvent { message, request } = event;
    if message.method() == "ping" {
        return upstream.forward(response(message.id(), "{}")).await;
    }
    let params = name_asker(&slot.spec.name, message.method(), message.params());
    let Ok(message) = Message::parse(message.with_params(&params)) else {
        return upstream.answer_error(message.id(), -32602, "the question cannot be read").await;
    };
    match client.hello() {
        Some(hello) if hello.era == Era::Legacy => {
            let client = Arc::clone(client);
            tokio::spawn(async move { pass_question(&upstream, &client, &message, request).await });
        }
        Some(hello) => {
            let is_declared = hello.has_capability(&[required_capability(message.method())]);
            let questions = client.routes.find_questions(request).filter(|_| is_declared);
            let id = message.id().to_owned();
            // A modern client is asked by the result of the request to which the question belongs.
            if questions.is_none_or(|questions| questions.try_send(message).is_err()) {
                upstream.answer_error(&id, -32601, "the client cannot be asked this").await;
            }
        }
        None => upstream.answer_error(message.id(), -32601, "there is no client yet").await,
    }
}

/// A legacy client is asked directly.
async fn pass_question(
    upstream: &Upstream,
    client: &ClientConnection,
    message: &Message,
    related: Option<u64>,
) {
    let text = match client.ask(message.method(), message.params(), related).await {
        Ok(result) => response(message.id(), &result),
        Err(error) => error_response(message.id(), &error),
    };
    upstream.forward(text).await;
}

fn required_capability(method: &str) -> &'static str {
    match method {
        "elicitation/create" => "elicitation",
        "sampling/createMessage" => "sampling",
        "roots/list" => "roots",
        _ => "",
    }
}
