//! Which message of a client is answered how.

use super::client_session::ClientSession;
use super::forward::{forward, set_log_level};
use super::hello::{answer_discover, answer_initialize};
use super::listen::listen;
use super::tasks::answer_task_request;
use crate::client::{Cancel, ClientRequest, IncomingRequest, ReplySender, StartError};
use crate::own;
use crate::upstream::reserve_id;
use crate::wire::{
    Era, META_VERSION, Message, MessageKind, RequestHeaders, RpcResponse, decode_string, find,
    is_removed,
};
use std::sync::Arc;

impl ClientSession {
    /// Handles a message of the client. A request is handled in a task of its own, because it may
    /// wait for a person.
    pub(crate) async fn handle(self: &Arc<Self>, message: Message, reply: &ReplySender) {
        match message.kind() {
            MessageKind::Request => {
                let (session, reply) = (Arc::clone(self), reply.clone());
                let (cancel, headers) = (Cancel::default(), RequestHeaders::NotUsed);
                let key = message.id().to_owned();
                let incoming = IncomingRequest { message, reply, cancel, headers };
                let task = async move { session.handle_keyed(key, incoming).await };
                tokio::spawn(self.tasks.track(task));
            }
            MessageKind::Notification => self.handle_notification(&message).await,
            MessageKind::Response => self.client.questions.settle(message),
        }
    }

    /// A request of one HTTP client among several whose ids may be the same.
    pub(crate) async fn handle_single(&self, incoming: IncomingRequest) {
        let message = &incoming.message;
        let is_modern = find(message.params(), &["_meta", META_VERSION]).is_some();
        let key = match is_modern {
            true => format!("{} {}", message.id(), reserve_id()),
            false => message.id().to_owned(),
        };
        self.handle_keyed(key, incoming).await;
    }

    async fn handle_keyed(&self, key: String, incoming: IncomingRequest) {
        let IncomingRequest { message, reply, cancel, headers } = incoming;
        let (id, method) = (message.id().to_owned(), message.method().to_owned());
        if let Err(error) = self.client.in_flight.start(&key, &cancel) {
            let answer = match error {
                StartError::SameId => RpcResponse::error(-32600, "a request with this id is open"),
                StartError::TooMany => RpcResponse::error(-32000, "too many requests are open"),
            };
            return reply.send(answer.into_text(&id, &method, None)).await;
        }
        let (answer, era) = match self.client.introduce(&method, message.params()) {
            Err(answer) if method != "ping" => (answer, None),
            Err(_) => (RpcResponse::empty(), None),
            Ok(hello) => {
                let (era, client) = (hello.era, Arc::clone(&self.client));
                let (reply, cancel) = (reply.clone(), cancel.clone());
                let request = ClientRequest { client, hello, message, reply, cancel, headers };
                (Box::pin(self.answer(&request)).await, Some(era))
            }
        };
        self.client.in_flight.end(&key);
        // Nobody waits for the answer to a cancelled request.
        if !cancel.is_cancelled() {
            reply.send(answer.into_text(&id, &method, era)).await;
        }
    }

    async fn answer(&self, request: &ClientRequest) -> RpcResponse {
        match request.message.method() {
            method if request.hello.era == Era::Modern && is_removed(method) => {
                RpcResponse::no_method(method)
            }
            "initialize" => answer_initialize(&self.servers, request).await,
            "server/discover" => answer_discover(&self.servers, request).await,
            "ping" => RpcResponse::empty(),
            "tools/list" => self.lists.list_tools(request).await,
            "tools/call" => self.call_tool(request).await,
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                answer_task_request(self, request).await
            }
            "logging/setLevel" => set_log_level(self, request).await,
            "subscriptions/listen" if request.hello.era == Era::Modern => {
                listen(self, request).await
            }
            _ => forward(self, request).await,
        }
    }

    async fn call_tool(&self, request: &ClientRequest) -> RpcResponse {
        let name = find(request.message.params(), &["name"]).and_then(decode_string);
        let Some(name) = name else { return RpcResponse::invalid("the call names no tool") };
        match own::find_own_tool(&self.servers, &name) {
            Some(tool) => own::call_own_tool(&self.calls, request, tool).await,
            None => self.calls.call_tool(request, &name).await,
        }
    }

    async fn handle_notification(&self, message: &Message) {
        match message.method() {
            "notifications/cancelled" => {
                if let Some(id) = find(message.params(), &["requestId"]) {
                    self.client.in_flight.cancel(id);
                }
            }
            "notifications/initialized" => {
                for upstream in self.servers.connections() {
                    upstream.ensure_initialized().await;
                }
            }
            _ => {
                for upstream in self.servers.connections() {
                    if upstream.era() == Era::Legacy {
                        upstream.forward(message.text().to_owned()).await;
                    }
                }
            }
        }
    }
}
