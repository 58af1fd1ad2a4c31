//! Carries out a call that was allowed, and records how it ended before the client hears of it.

use super::decide::{ToolCall, undecided};
use super::parents::META_PARENT;
use super::texts::{refusal, unknown_result, unreachable_result};
use crate::relay::continuations::{Continuation, identify_request};
use crate::relay::{Context, ExchangeEnd, Relay, RpcResponse};
use crate::wire::json_text::{encode_string, find, set_at};
use countersign_core::model::words::Effect;
use countersign_engine::{Completion, EngineError, Permit};
use countersign_host::Host;
use std::sync::Arc;

impl Relay {
    pub(crate) async fn execute(
        self: &Arc<Self>,
        context: &Context,
        call: ToolCall,
        permit: Permit,
    ) -> RpcResponse {
        if let Err(why) = self.pin_definition(&call).await {
            return self.fail(permit, &why).await;
        }
        let upstream = match self.connect(&call.slot, &context.hello).await {
            Ok(upstream) => upstream,
            Err(unavailable) => return self.put_off(permit, unavailable.text()).await,
        };
        let parent = match self.has_nested_calls(&call) {
            true => self.gateway.parents.issue(permit.call()),
            false => None,
        };
        let params = match &parent {
            Some(parent) => {
                set_at(&call.params, &["_meta", META_PARENT], &encode_string(&parent.token))
            }
            None => call.params.clone(),
        };
        let end = self.run_exchange(context, &call.slot, &upstream, params).await;
        drop(parent);
        let server = call.slot.spec.name.as_str();
        self.finish(context, server, (permit, call.params), end).await
    }

    /// Goes on with a call that waited for its client's input, under the same permission.
    pub(crate) async fn continue_call(
        self: &Arc<Self>,
        context: &Context,
        paused: Continuation,
    ) -> RpcResponse {
        let Some(slot) = self.find_slot(&paused.server).cloned() else {
            return RpcResponse::Result(refusal("The server of this call is gone."));
        };
        let (mut call, end) = self.resume(context, &slot, paused).await;
        match call.permit.take() {
            Some(permit) => {
                let decided = std::mem::take(&mut call.params);
                self.finish(context, &call.server, (permit, decided), end).await
            }
            None => RpcResponse::Result(refusal("This call was not permitted.")),
        }
    }

    /// Only these have a use for a token: a tool that declares what it may trigger, and a graph that
    /// lowers the risk of calls inside others.
    fn has_nested_calls(&self, call: &ToolCall) -> bool {
        let Ok(Some(graph)) = self.gateway.host.graph() else { return false };
        let mapping = graph.tool(&call.full_name());
        !graph.reducers.is_empty() || mapping.is_some_and(|mapping| !mapping.declares.is_empty())
    }

    async fn finish(
        self: &Arc<Self>,
        context: &Context,
        server: &str,
        (permit, params): (Permit, String),
        end: ExchangeEnd,
    ) -> RpcResponse {
        let call = permit.call();
        let message = match end {
            ExchangeEnd::Response(message) => message,
            ExchangeEnd::NotSent(why) => return self.put_off(permit, &why).await,
            ExchangeEnd::Unknown(why) => {
                let answer = RpcResponse::Result(unknown_result(call, &why));
                return self.record(permit.complete(Effect::Unknown), answer).await;
            }
            ExchangeEnd::NeedsInput(result, resume) => {
                let request = identify_request(context.message.method(), context.message.params());
                let mut paused = Continuation::new(self.owner.clone(), server, request, resume);
                (paused.permit, paused.params) = (Some(permit), params);
                return match self.pause(&result, paused) {
                    Ok(answer) => answer,
                    Err(back) => self.abandon(*back).await,
                };
            }
        };
        let effect = match message.result() {
            Some(result) if find(result, &["isError"]) != Some("true") => Effect::Done,
            Some(_) | None => Effect::Failed,
        };
        if let Some(result) = message.result() {
            self.gateway.kept.keep(call, result);
        }
        self.gateway.parked.remove(call);
        self.record(permit.complete(effect), RpcResponse::Forward(message)).await
    }

    /// The server has received nothing. The engine repeats the call later if that is allowed.
    async fn put_off(&self, permit: Permit, why: &str) -> RpcResponse {
        let answer = unreachable_result(permit.call(), why, &self.own_name("retry"));
        self.record(permit.fail_temporarily(Effect::Nothing), RpcResponse::Result(answer)).await
    }

    /// Nothing was sent, for a cause of our own.
    async fn fail(&self, permit: Permit, why: &str) -> RpcResponse {
        let answer = RpcResponse::Result(refusal(&format!("Not carried out: {why}.")));
        self.record(permit.complete(Effect::Nothing), answer).await
    }

    /// There is no room for another paused call.
    async fn abandon(&self, paused: Continuation) -> RpcResponse {
        match complete_abandoned(&self.gateway.host, paused).await {
            Ok(()) => RpcResponse::Result(refusal("Too many calls wait for input.")),
            Err(error) => undecided(&error),
        }
    }

    /// The answer goes out only after the end is on record: otherwise a client could see a result
    /// that a restart does not know.
    async fn record(&self, completion: Completion, answer: RpcResponse) -> RpcResponse {
        match self.gateway.host.complete(completion).await {
            Ok(_) => answer,
            Err(error) => undecided_end(answer, &error),
        }
    }
}

/// The call paused, and nobody will continue it: whether its server has acted is unknown.
pub(crate) async fn complete_abandoned(
    host: &Host,
    mut paused: Continuation,
) -> Result<(), EngineError> {
    match paused.permit.take() {
        Some(permit) => host.complete(permit.complete(Effect::Unknown)).await.map(drop),
        None => Ok(()),
    }
}

/// What the server did is known to the client alone. It is not hidden, because the effect is there.
fn undecided_end(answer: RpcResponse, error: &EngineError) -> RpcResponse {
    match answer {
        RpcResponse::Forward(message) => RpcResponse::Forward(message),
        RpcResponse::Result(_) | RpcResponse::Error(_) => undecided(error),
    }
}
