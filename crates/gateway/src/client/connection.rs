//! A client's connection: who it is, what it has open, and where messages for it go.
//!
//! On HTTP it is what the requests of one client share.

use super::in_flight::InFlightRequests;
use super::questions::ClientQuestions;
use super::reply::ReplySender;
use super::routes::ExchangeRoutes;
use super::subscriptions::Subscriptions;
use crate::locks::lock;
use crate::wire::{
    ClientHello, Era, META_SUBSCRIPTION, META_VERSION, MODERN, Message, RpcResponse, encode_string,
    error_object, find, notification, remove_member, set_member,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub(crate) struct ClientConnection {
    /// How the client introduced itself; none before it did.
    hello: Mutex<Option<ClientHello>>,
    /// The level that a legacy client set for log messages, as text.
    log_level: Mutex<Option<String>>,
    /// Where messages go that belong to no request.
    outlet: Mutex<Option<ReplySender>>,
    is_closed: AtomicBool,
    pub(crate) in_flight: InFlightRequests,
    pub(crate) questions: ClientQuestions,
    pub(crate) routes: ExchangeRoutes,
    pub(crate) subscriptions: Subscriptions,
}

impl ClientConnection {
    pub(crate) fn set_outlet(&self, outlet: Option<ReplySender>) {
        *lock(&self.outlet) = outlet;
    }

    pub(crate) fn hello(&self) -> Option<ClientHello> {
        lock(&self.hello).clone()
    }

    pub(crate) fn log_level(&self) -> Option<String> {
        lock(&self.log_level).clone()
    }

    pub(crate) fn set_log_level(&self, level: Option<&str>) {
        *lock(&self.log_level) = level.map(str::to_owned);
    }

    /// Whether the client is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.set_outlet(None);
        self.questions.close();
    }

    /// The client's introduction for this request: its own in the modern era, that of the
    /// connection in the legacy one.
    pub(crate) fn introduce(&self, method: &str, params: &str) -> Result<ClientHello, RpcResponse> {
        let hello = match find(params, &["_meta", META_VERSION]) {
            None if method == "initialize" => ClientHello::from_initialize(params)
                .ok_or_else(|| RpcResponse::invalid("`initialize` names no protocol version"))?,
            None => {
                return self.hello().ok_or_else(|| {
                    let code = if method == "server/discover" { -32602 } else { -32600 };
                    let what = "send `initialize` first, or name a protocol version in `_meta`";
                    RpcResponse::error(code, what)
                });
            }
            Some(version) if version != encode_string(MODERN) => {
                return Err(unsupported_version(version));
            }
            Some(_) => ClientHello::from_meta(params).ok_or_else(|| {
                RpcResponse::invalid("`_meta` does not name the client's capabilities")
            })?,
        };
        *lock(&self.hello) = Some(hello.clone());
        Ok(hello)
    }

    /// Asks the client, and waits for its answer: a result, or an error object. `related` is the
    /// number of the client's own request to which the question belongs, if that is known.
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: &str,
        related: Option<u64>,
    ) -> Result<String, String> {
        let refusal = || error_object(-32603, "the client cannot be asked now");
        let reply = self.routes.find_reply(related).or_else(|| self.find_any_reply());
        let reply = reply.ok_or_else(refusal)?;
        let mut question = self.questions.ask(&reply, method, params).await.ok_or_else(refusal)?;
        let message = question.wait().await.ok_or_else(refusal)?;
        match (message.result(), message.error()) {
            (Some(result), _) => Ok(result.to_owned()),
            (None, Some(error)) => Err(error.to_owned()),
            (None, None) => Err(refusal()),
        }
    }

    /// Passes on a notification that belongs to no request: directly to a legacy client, by its
    /// subscriptions to a modern one.
    pub(crate) async fn notify(&self, message: &Message) {
        match self.hello().map(|hello| hello.era) {
            Some(Era::Modern) if message.method() == "notifications/message" => {
                send_to(self.routes.find_log_reply(), message.text().to_owned()).await;
            }
            Some(Era::Modern) => self.subscriptions.notify(message).await,
            Some(Era::Legacy) | None => {
                let text = match find(message.params(), &["_meta", META_SUBSCRIPTION]) {
                    None => message.text().to_owned(),
                    Some(_) => message.with_params(&remove_subscription(message.params())),
                };
                send_to(self.find_any_reply(), text).await;
            }
        }
    }

    /// Tells the client that lists have changed.
    pub(crate) async fn announce_lists(&self) {
        for list in ["tools", "resources", "prompts"] {
            let method = format!("notifications/{list}/list_changed");
            if let Ok(message) = Message::parse(notification(&method, "{}")) {
                self.notify(&message).await;
            }
        }
    }

    /// The way back for what belongs to no request.
    fn find_any_reply(&self) -> Option<ReplySender> {
        let outlet = lock(&self.outlet).clone();
        outlet.or_else(|| self.routes.find_newest_reply())
    }
}

async fn send_to(reply: Option<ReplySender>, text: String) {
    if let Some(reply) = reply {
        reply.send(text).await;
    }
}

fn remove_subscription(params: &str) -> String {
    let Some(meta) = find(params, &["_meta"]) else { return params.to_owned() };
    set_member(params, "_meta", &remove_member(meta, META_SUBSCRIPTION))
}

fn unsupported_version(requested: &str) -> RpcResponse {
    let error = error_object(-32022, "this protocol version is not supported");
    let data = format!("{{\"supported\":[{}],\"requested\":{requested}}}", encode_string(MODERN));
    RpcResponse::Error(set_member(&error, "data", &data))
}
