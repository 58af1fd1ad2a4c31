//! Carries out a call that was allowed, and records how it ended before the client hears of it.

use super::own_call::read_own_call;
use super::paused_requests::{CallInServer, Continuation};
use super::prepare::{META_PARENT, ToolCall};
use super::texts::{refusal, repeated_result, undecided, unknown_result, unreachable_result};
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::pins::{AnswerReach, DefinedTool};
use crate::upstream::{ExchangeEnd, run_exchange};
use crate::wire::{RpcResponse, encode_string, find, set_at};
use countersign_core::model::ids::CallId;
use countersign_core::model::words::{Choice, Effect};
use countersign_engine::{Completion, EngineError, Permit};
use countersign_host::Host;

impl ToolCalls {
    pub(crate) async fn execute(
        &self,
        request: &ClientRequest,
        call: ToolCall,
        permit: Permit,
    ) -> RpcResponse {
        let now = call.slot.find_tool(&call.tool);
        let (pins, defined) = (&self.shared.pins, call.defined_tool());
        let reach = self.find_answer_reach(permit.call(), defined.as_ref()).await;
        let pinned = match reach {
            Ok(reach) => pins.pin_decided_definition(defined, now.as_ref(), reach).await,
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = pinned {
            return self.report_not_sent(permit, &why).await;
        }
        let upstream = match self.servers.connect(&call.slot, &request.hello).await {
            Ok(upstream) => upstream,
            Err(why) => return self.report_unreachable(permit, &why).await,
        };
        let params = match self.has_nested_calls(&call) {
            true => {
                let token = self.shared.seal.issue_parent_token(permit.call());
                set_at(&call.params, &["_meta", META_PARENT], &encode_string(&token))
            }
            false => call.params.clone(),
        };
        let end = run_exchange(request, &call.slot, &upstream, params).await;
        let server = call.slot.spec.name.as_str();
        let running = CallInServer { permit, params: call.params, keeping: call.keeping };
        self.finish(request, server, running, end).await
    }

    /// Whether an answer to the call reaches further than it. It matters only for a tool that changed.
    async fn find_answer_reach(
        &self,
        call: CallId,
        tool: Option<&DefinedTool<'_>>,
    ) -> Result<AnswerReach, EngineError> {
        if tool.is_none_or(|tool| self.shared.pins.is_pinned(tool)) {
            return Ok(AnswerReach::ThisCall);
        }
        let choices = self.shared.host.run(move |engine| engine.read_answers(call)).await?;
        let is_wide = |choice: &Choice| match choice {
            Choice::Run | Choice::Quarter | Choice::Session | Choice::Project => true,
            Choice::Once | Choice::Decline => false,
        };
        Ok(match choices.iter().any(is_wide) {
            true => AnswerReach::FurtherCalls,
            false => AnswerReach::ThisCall,
        })
    }

    /// Goes on with a call that waited for its client's input, under the same permission.
    pub(crate) async fn continue_call(
        &self,
        request: &ClientRequest,
        paused: Continuation,
    ) -> RpcResponse {
        let Some(slot) = self.servers.find(&paused.server).cloned() else {
            return RpcResponse::Result(refusal("The server of this call is gone."));
        };
        let server = paused.server.clone();
        match self.servers.resume(request, &slot, paused).await {
            (Some(running), end) => self.finish(request, &server, running, end).await,
            (None, _) => RpcResponse::Result(refusal("This call was not permitted.")),
        }
    }

    /// Only these have a use for a token: a tool that declares what it may trigger, and a graph that
    /// lowers the risk of calls inside others.
    fn has_nested_calls(&self, call: &ToolCall) -> bool {
        let Ok(Some(graph)) = self.shared.host.graph() else { return false };
        let mapping = graph.tool(&call.full_name());
        !graph.reducers.is_empty() || mapping.is_some_and(|mapping| !mapping.declares.is_empty())
    }

    async fn finish(
        &self,
        request: &ClientRequest,
        server: &str,
        running: CallInServer,
        end: ExchangeEnd,
    ) -> RpcResponse {
        let CallInServer { permit, params, keeping } = running;
        let call = permit.call();
        let message = match end {
            ExchangeEnd::Response(message) => message,
            ExchangeEnd::NotSent(why) => return self.report_unreachable(permit, &why).await,
            ExchangeEnd::Unknown(why) => {
                let answer = RpcResponse::Result(unknown_result(call, &why));
                return self.record(permit.complete(Effect::Unknown), answer).await;
            }
            ExchangeEnd::Died(why) => return self.report_died(permit, &why).await,
            ExchangeEnd::NeedsInput(result, resume) => {
                let call = Some(CallInServer { permit, params, keeping });
                let paused = Continuation { server: server.to_owned(), resume, call };
                return match self.shared.continuations.pause(&self.owner, request, paused) {
                    Ok(handle) => RpcResponse::input_required(&result, &handle),
                    Err(back) => self.abandon(*back).await,
                };
            }
        };
        let effect = match message.result() {
            Some(result) if find(result, &["isError"]) != Some("true") => Effect::Done,
            Some(_) | None => Effect::Failed,
        };
        // Before the end is on record: what is kept of a call that has not ended is never shown.
        self.shared.kept.keep(call, &self.owner, &message, keeping).await;
        self.shared.parked.remove(call);
        self.record(permit.complete(effect), RpcResponse::Forward(message)).await
    }

    /// The server has received nothing. The engine repeats the call later if that is allowed.
    async fn report_unreachable(&self, permit: Permit, why: &str) -> RpcResponse {
        let answer = unreachable_result(permit.call(), why, &self.servers.own_tool_name("retry"));
        self.record(permit.fail_temporarily(Effect::Nothing), RpcResponse::Result(answer)).await
    }

    /// The server may have acted. The engine repeats the call if its tool may run twice.
    async fn report_died(&self, permit: Permit, why: &str) -> RpcResponse {
        let call = permit.call();
        let completed = self.shared.host.complete(permit.fail_temporarily(Effect::Unknown)).await;
        if let Err(error) = completed {
            return undecided(&error);
        }
        let own = read_own_call(self, call).await;
        let is_repeated = own.is_ok_and(|own| own.is_some_and(|own| own.repeats_at.is_some()));
        RpcResponse::Result(match is_repeated {
            true => repeated_result(call, why, &self.servers.own_tool_name("retry")),
            false => unknown_result(call, why),
        })
    }

    /// Nothing was sent, for a cause of our own.
    async fn report_not_sent(&self, permit: Permit, why: &str) -> RpcResponse {
        let answer = RpcResponse::Result(refusal(&format!("Not carried out: {why}.")));
        self.record(permit.complete(Effect::Nothing), answer).await
    }

    /// There is no room for another paused call.
    async fn abandon(&self, paused: Continuation) -> RpcResponse {
        match complete_abandoned(&self.shared.host, paused).await {
            Ok(()) => RpcResponse::Result(refusal("Too many calls wait for input.")),
            Err(error) => undecided(&error),
        }
    }

    /// The answer goes out only after the end is on record: otherwise a client could see a result
    /// that a restart does not know.
    async fn record(&self, completion: Completion, answer: RpcResponse) -> RpcResponse {
        match self.shared.host.complete(completion).await {
            Ok(_) => answer,
            Err(error) => answer_after_record_error(answer, &error),
        }
    }
}

/// The call paused, and nobody will continue it: whether its server has acted is unknown.
pub(crate) async fn complete_abandoned(
    host: &Host,
    paused: Continuation,
) -> Result<(), EngineError> {
    match paused.call {
        Some(call) => host.complete(call.permit.complete(Effect::Unknown)).await.map(drop),
        None => Ok(()),
    }
}

/// What the server did is known to the client alone. It is not hidden, because the effect is there.
fn answer_after_record_error(answer: RpcResponse, error: &EngineError) -> RpcResponse {
    match answer {
        RpcResponse::Forward(message) => RpcResponse::Forward(message),
        RpcResponse::Result(_) | RpcResponse::Error(_) => undecided(error),
    }
}
