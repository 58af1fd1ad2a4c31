//! Decides a tool call, and waits for the operator if it asks.
//!
//! See docs/decisions/0079-held-and-pending-mcp-calls.md.

use super::elicit;
use super::hook_permit::take_hook_permit;
use super::kept_responses::ResponseStorage;
use super::prepare::ToolCall;
use super::task_report::create_task;
use super::texts::{announce, denied_result, pending_result, refusal, result_gone, undecided};
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::upstream::OutputSchema;
use crate::wire::{Era, RpcResponse, find};
use countersign_engine::{CheckResult, Permit};
use std::sync::Arc;
use std::time::Duration;

impl ToolCalls {
    /// Answers a request that calls a tool of a server, under the name that the client sees.
    pub(crate) async fn call_tool(
        self: &Arc<Self>,
        request: &ClientRequest,
        name: &str,
    ) -> RpcResponse {
        if let Some(paused) = self.shared.continuations.take_for(&self.owner, request) {
            return self.continue_call(request, paused).await;
        }
        if let Some(question) = elicit::take_question(self, request) {
            return elicit::continue_question(self, request, &question).await;
        }
        if find(request.message.params(), &["requestState"]).is_some() {
            return RpcResponse::unknown_state();
        }
        match self.prepare_call(request, name).await {
            Ok(call) => self.decide_call(request, call).await,
            Err(answer) => answer,
        }
    }

    async fn decide_call(
        self: &Arc<Self>,
        request: &ClientRequest,
        mut call: ToolCall,
    ) -> RpcResponse {
        if let Some(permit) = take_hook_permit(self, request, &mut call).await {
            return self.execute(request, call, permit).await;
        }
        let draft = match self.draft_call(request, &call).await {
            Ok(draft) => draft,
            Err(answer) => return answer,
        };
        let host = &self.shared.host;
        let checked = host.check_and_wait(draft, Duration::ZERO, |checked| checked).await;
        let checked = match checked {
            Ok(CheckResult::Pending { call: id, decision, announced, narrowed }) => {
                self.shared.park(id, &call.params);
                call.keeping = ResponseStorage::InStore;
                if let Err(why) = self.shared.pins.pin_new_definition(call.defined_tool()).await {
                    return RpcResponse::Result(refusal(&format!("Not carried out: {why}.")));
                }
                if request.hello.takes_tasks() {
                    return announce(create_task(self, request, id, &decision), &announced);
                }
                let question = elicit::find_question(self, request, id).await;
                if let Some(question) =
                    question.clone().filter(|_| request.hello.era == Era::Modern)
                    && let Some(response) = elicit::put_in_result(self, request, question)
                {
                    return announce(response, &announced);
                }
                match elicit::wait_with_client(self, request, id, question).await {
                    Ok(true) => host.retry(id, self.owner.clone()).await,
                    Ok(false) => {
                        Ok(CheckResult::Pending { call: id, decision, announced, narrowed })
                    }
                    Err(error) => Err(error),
                }
            }
            other => other,
        };
        match checked {
            Ok(checked) => self.apply_decision(request, call, checked).await,
            Err(error) => undecided(&error),
        }
    }

    /// Does what was decided about a call.
    async fn apply_decision(
        &self,
        request: &ClientRequest,
        call: ToolCall,
        checked: CheckResult,
    ) -> RpcResponse {
        let announced = checked.announced().to_vec();
        let response = match self.find_permit(checked, call.output()).await {
            Ok(permit) => self.execute(request, call, permit).await,
            Err(answer) => answer,
        };
        announce(response, &announced)
    }

    /// The permit of a call that was allowed, or else what its client is answered.
    pub(super) async fn find_permit(
        &self,
        checked: CheckResult,
        output: OutputSchema,
    ) -> Result<Permit, RpcResponse> {
        let result = match checked {
            CheckResult::Allowed { permit, .. } => return Ok(permit),
            CheckResult::AlreadyDone { call, .. } => {
                let kept = self.shared.kept.find(call, &self.owner).await;
                return Err(kept.map_or_else(|| RpcResponse::Result(result_gone(call)), Into::into));
            }
            CheckResult::Pending { call, decision, .. } => {
                pending_result(call, &decision, &self.servers.own_tool_name("retry"), output)
            }
            CheckResult::Denied { call, decision } => denied_result(call, &decision),
        };
        Err(RpcResponse::Result(result))
    }
}
