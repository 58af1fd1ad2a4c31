//! Which request is answered how.

use super::continuations::{Continuation, Resume, identify_request};
use super::in_flight::{Cancel, StartError};
use super::slots::ServerSlot;
use super::subscriptions::subscribe_resource;
use super::{Context, ExchangeEnd, Front, Incoming, Relay, Reply, RpcResponse, lock};
use crate::call::mirrored::MirroredHeaders;
use crate::era::{Era, META_VERSION, is_removed};
use crate::upstream::{Upstream, reserve_id};
use crate::wire::json_text::{decode_string, find, remove_member, set_member};
use crate::wire::message::error_response;
use crate::wire::{Members, Message};
use std::sync::Arc;

impl Relay {
    pub(super) async fn handle_request(self: Arc<Self>, message: Message, reply: Reply) {
        let key = message.id().to_owned();
        let (cancel, headers) = (Cancel::default(), MirroredHeaders::NotUsed);
        self.handle_keyed(key, Incoming { message, reply, cancel, headers }).await;
    }

    /// A request of one HTTP client among several whose ids may be the same.
    pub(crate) async fn handle_single(self: Arc<Self>, incoming: Incoming) {
        let message = &incoming.message;
        let is_modern = find(message.params(), &["_meta", META_VERSION]).is_some();
        let key = match is_modern {
            true => format!("{} {}", message.id(), reserve_id()),
            false => message.id().to_owned(),
        };
        self.handle_keyed(key, incoming).await;
    }

    async fn handle_keyed(self: Arc<Self>, key: String, incoming: Incoming) {
        let Incoming { message, reply, cancel, headers } = incoming;
        let (id, method) = (message.id().to_owned(), message.method().to_owned());
        if let Err(error) = self.in_flight.start(&key, &cancel) {
            let answer = match error {
                StartError::SameId => RpcResponse::error(-32600, "a request with this id is open"),
                StartError::TooMany => RpcResponse::error(-32000, "too many requests are open"),
            };
            return reply.send(answer.into_text(&id, &method, None)).await;
        }
        let (answer, era) = match self.introduce(&method, message.params()) {
            Err(answer) if method != "ping" => (answer, None),
            Err(_) => (RpcResponse::Result("{}".to_owned()), None),
            Ok(hello) => {
                let era = hello.era;
                let (reply, cancel) = (reply.clone(), cancel.clone());
                let context = Context { message, reply, cancel, hello, headers };
                (Box::pin(self.answer(&context)).await, Some(era))
            }
        };
        self.in_flight.end(&key);
        // Nobody waits for the answer to a cancelled request.
        if !cancel.is_cancelled() {
            reply.send(answer.into_text(&id, &method, era)).await;
        }
    }

    async fn answer(self: &Arc<Self>, context: &Context) -> RpcResponse {
        match context.message.method() {
            method if context.hello.era == Era::Modern && is_removed(method) => {
                RpcResponse::no_method(method)
            }
            "initialize" => self.answer_initialize(context).await,
            "server/discover" => self.answer_discover(context).await,
            "ping" => RpcResponse::Result("{}".to_owned()),
            "tools/list" => self.list_tools(context).await,
            "tools/call" => self.call_tool(context).await,
            "tasks/get" | "tasks/update" | "tasks/cancel" => {
                self.answer_task_request(context).await
            }
            "logging/setLevel" => self.set_log_level(context).await,
            "subscriptions/listen" if context.hello.era == Era::Modern => {
                self.listen(context).await
            }
            _ => self.forward(context).await,
        }
    }

    /// A request that is not decided: it goes to the server that it concerns.
    pub(super) async fn forward(self: &Arc<Self>, context: &Context) -> RpcResponse {
        match (self.front, self.slots.first()) {
            (Front::Single, Some(slot)) => {
                self.forward_to(context, slot, context.message.params()).await
            }
            _ => self.forward_by_name(context).await,
        }
    }

    pub(super) async fn forward_to(
        self: &Arc<Self>,
        context: &Context,
        slot: &Arc<ServerSlot>,
        params: &str,
    ) -> RpcResponse {
        let upstream = match self.connect(slot, &context.hello).await {
            Ok(upstream) => upstream,
            Err(unavailable) => return RpcResponse::error(-32000, unavailable.text()),
        };
        if let Some(answer) = translate_subscription(context, &upstream).await {
            return answer;
        }
        let end = match self.take_continuation(context) {
            Some(call) => self.resume(context, slot, call).await.1,
            None if find(params, &["requestState"]).is_some() => {
                return RpcResponse::unknown_state();
            }
            None => self.run_exchange(context, slot, &upstream, params.to_owned()).await,
        };
        match end {
            ExchangeEnd::Response(message) => RpcResponse::Forward(message),
            ExchangeEnd::NotSent(why) | ExchangeEnd::Unknown(why) => {
                RpcResponse::error(-32000, &why)
            }
            ExchangeEnd::NeedsInput(result, resume) => {
                let request = identify_request(context.message.method(), context.message.params());
                let name = slot.spec.name.as_str();
                let call = Continuation::new(self.owner.clone(), name, request, resume);
                self.pause(&result, call).unwrap_or_else(|_| full())
            }
        }
    }

    /// The paused call that this request continues.
    pub(crate) fn take_continuation(&self, context: &Context) -> Option<Continuation> {
        let params = context.message.params();
        let handle = find(params, &["requestState"])?;
        let request = identify_request(context.message.method(), params);
        self.gateway.continuations.take(handle, &self.owner, &request)
    }

    /// Goes on with a paused call. Returns it without what it paused for.
    pub(crate) async fn resume(
        self: &Arc<Self>,
        context: &Context,
        slot: &Arc<ServerSlot>,
        mut call: Continuation,
    ) -> (Continuation, ExchangeEnd) {
        let params = context.message.params();
        let responses = find(params, &["inputResponses"]).unwrap_or("{}").to_owned();
        let resume = std::mem::replace(&mut call.resume, Resume::Resend { state: None });
        let end = match resume {
            Resume::Answer { open, question } => {
                let answer = Members::read(&responses).and_then(|r| r.get("input"));
                open.answer(context, &question, answer).await.wait(context).await
            }
            Resume::Resend { state } => {
                let decided = if call.params.is_empty() { params } else { &call.params };
                let params = set_member(decided, "inputResponses", &responses);
                let params = match state {
                    Some(state) => set_member(&params, "requestState", &state),
                    None => remove_member(&params, "requestState"),
                };
                match self.connect(slot, &context.hello).await {
                    Ok(upstream) => self.run_exchange(context, slot, &upstream, params).await,
                    Err(unavailable) => ExchangeEnd::Unknown(unavailable.text().to_owned()),
                }
            }
        };
        (call, end)
    }

    /// Gives the client the questions, and a handle in place of the server's own state.
    pub(crate) fn pause(
        &self,
        result: &str,
        call: Continuation,
    ) -> Result<RpcResponse, Box<Continuation>> {
        let handle = self.gateway.continuations.pause(call)?;
        Ok(RpcResponse::Result(set_member(result, "requestState", &handle)))
    }

    /// A modern server has no such method: its requests carry the level.
    async fn set_log_level(self: &Arc<Self>, context: &Context) -> RpcResponse {
        *lock(&self.log_level) = find(context.message.params(), &["level"]).map(str::to_owned);
        match (self.front, self.slots.first()) {
            (Front::Single, Some(slot)) => match self.connect(slot, &context.hello).await {
                Ok(upstream) if upstream.era() == Era::Legacy => {
                    self.forward_to(context, slot, context.message.params()).await
                }
                // One that is not there has nothing to log.
                Ok(_) | Err(_) => RpcResponse::Result("{}".to_owned()),
            },
            _ => RpcResponse::Result("{}".to_owned()),
        }
    }

    pub(super) async fn handle_notification(&self, message: &Message) {
        match message.method() {
            "notifications/cancelled" => {
                if let Some(id) = find(message.params(), &["requestId"]) {
                    self.in_flight.cancel(id);
                }
            }
            "notifications/initialized" => {
                for upstream in self.slots.iter().filter_map(|slot| slot.current()) {
                    upstream.ensure_initialized().await;
                }
            }
            _ => {
                for upstream in self.slots.iter().filter_map(|slot| slot.current()) {
                    if upstream.era() == Era::Legacy {
                        upstream.forward(message.text().to_owned()).await;
                    }
                }
            }
        }
    }
}

/// A modern server has no requests for single subscriptions. One that ended stays open at the
/// server; its news reaches nobody who did not ask for it.
async fn translate_subscription(context: &Context, upstream: &Upstream) -> Option<RpcResponse> {
    if context.hello.era == Era::Modern || upstream.era() == Era::Legacy {
        return None;
    }
    let uri = find(context.message.params(), &["uri"]).and_then(decode_string);
    match (context.message.method(), uri) {
        ("resources/subscribe", Some(uri)) => {
            subscribe_resource(upstream, &context.hello, &uri).await;
            Some(RpcResponse::Result("{}".to_owned()))
        }
        ("resources/unsubscribe", Some(_)) => Some(RpcResponse::Result("{}".to_owned())),
        _ => None,
    }
}

fn full() -> RpcResponse {
    RpcResponse::error(-32000, "too many calls wait for input")
}

/// The answer to a line that is no message.
pub(crate) fn unreadable(why: &str) -> String {
    error_response("null", &crate::wire::message::error_object(-32700, why))
}
