//! Carries a task out in the background: waits for the operator, redeems the call, and keeps what
//! came of it.
//!
//! Redeeming is the conditional write that lets a call run once, even if others try: another client,
//! another node, or `retry`.

use super::execute::complete_abandoned;
use super::live_tasks::LiveTask;
use super::texts::denied_result;
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::limits;
use crate::wire::{ClientHello, RpcResponse, find, is_input_required, set_member};
use countersign_core::model::ids::CallId;
use countersign_core::model::words::{Effect, Reason};
use countersign_core::state::CallState;
use countersign_engine::{CheckResult, Permit};
use std::sync::Arc;

/// Waits for the call in the background, if nobody does.
pub(super) fn start_task(calls: &Arc<ToolCalls>, request: &ClientRequest, call: CallId) {
    if let Some(live) = calls.shared.tasks.start(call, &request.client) {
        let (calls, hello) = (Arc::clone(calls), request.hello.without_tasks());
        tokio::spawn(TaskDriver { calls, call, live, hello }.run());
    }
}

struct TaskDriver {
    calls: Arc<ToolCalls>,
    call: CallId,
    live: Arc<LiveTask>,
    hello: ClientHello,
}

/// What a task does after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextStep {
    WaitAgain,
    End,
}

impl TaskDriver {
    /// Runs until the task is over or its client is gone. Then the next client that asks for the task
    /// takes it up.
    async fn run(self) {
        for _round in 0..limits::MAX_INPUT_ROUNDS {
            let Some(state) = self.wait_for_answer().await else { break };
            let is_answered =
                matches!(state, CallState::Approved | CallState::Declined | CallState::Expired);
            if !is_answered || !self.live.has_client() || self.redeem().await == NextStep::End {
                break;
            }
        }
        self.calls.shared.tasks.end(self.call, &self.live);
    }

    /// The state of the call once nobody is asked any more. None if nobody waits for that.
    async fn wait_for_answer(&self) -> Option<CallState> {
        let (host, owner) = (&self.calls.shared.host, &self.calls.owner);
        loop {
            let state = host.wait_for_answer(self.call, owner, limits::TASK_WAIT).await.ok()??;
            if state != CallState::Parked {
                return Some(state);
            }
            let is_stopped = *host.stop_signal().borrow();
            if is_stopped || !self.live.has_client() {
                return None;
            }
        }
    }

    async fn redeem(&self) -> NextStep {
        let shared = &self.calls.shared;
        match shared.host.retry(self.call, self.calls.owner.clone()).await {
            Ok(CheckResult::Allowed { permit, .. }) => {
                shared.tasks.note_change();
                match self.live.cancel.is_cancelled() {
                    true => self.return_permit(permit).await,
                    false => self.execute(permit).await,
                }
                NextStep::End
            }
            Ok(CheckResult::Pending { .. }) => NextStep::WaitAgain,
            Ok(CheckResult::Denied { call: id, decision }) => {
                // Somebody else carries it out, and will say what came of it.
                if decision.reason != Reason::Running {
                    shared.kept.keep_result(self.call, denied_result(id, &decision));
                }
                NextStep::End
            }
            // The next client that asks for the task tries again.
            Ok(CheckResult::AlreadyDone { .. }) | Err(_) => NextStep::End,
        }
    }

    async fn execute(&self, permit: Permit) {
        let (shared, call) = (&self.calls.shared, permit.call());
        let Some(request) = self.build_request("{}") else {
            return self.return_permit(permit).await;
        };
        let mut response = self.calls.redeem(&request, permit).await;
        for round in 1..=limits::MAX_INPUT_ROUNDS {
            let Some((requests, handle)) = find_questions(&response) else { break };
            self.live.ask(&requests, round);
            shared.tasks.note_change();
            let answers = self.live.wait_for_answers().await;
            shared.tasks.note_change();
            response = match answers {
                Some(answers) => self.continue_call(&handle, &answers).await,
                None => return self.abandon(&handle).await,
            };
        }
        if let Some((_, handle)) = find_questions(&response) {
            return self.abandon(&handle).await;
        }
        match response {
            RpcResponse::Result(result) => shared.kept.keep_result(call, result),
            // It is kept already.
            RpcResponse::Forward(_) | RpcResponse::Error(_) => {}
        }
    }

    /// Nothing was sent. A store that fails now makes it unknown at the next start.
    async fn return_permit(&self, permit: Permit) {
        let nothing = permit.complete(Effect::Nothing);
        let _failed = self.calls.shared.host.complete(nothing).await;
    }

    /// Gives the server its answers.
    async fn continue_call(&self, handle: &str, answers: &str) -> RpcResponse {
        let params = set_member("{}", "inputResponses", answers);
        let params = set_member(&params, "requestState", handle);
        let gone = || RpcResponse::error(-32603, "the call no longer waits for input");
        let Some(request) = self.build_request(&params) else { return gone() };
        match self.calls.shared.continuations.take_for(&self.calls.owner, &request) {
            Some(paused) => self.calls.continue_call(&request, paused).await,
            None => gone(),
        }
    }

    /// Nobody answers the server any more: whether it has acted is unknown.
    async fn abandon(&self, handle: &str) {
        let shared = &self.calls.shared;
        let request = self.build_request(&set_member("{}", "requestState", handle));
        let paused =
            request.and_then(|request| shared.continuations.take_for(&self.calls.owner, &request));
        if let Some(paused) = paused {
            // A store that fails now makes it unknown at the next start.
            let _failed = complete_abandoned(&shared.host, paused).await;
        }
    }

    /// A request that nobody waits for, in the name of the client that started the task.
    fn build_request(&self, params: &str) -> Option<ClientRequest> {
        let params = self.hello.add_meta(params, None);
        let cancel = self.live.cancel.clone();
        ClientRequest::in_background(&self.live.client, &self.hello, &params, cancel)
    }
}

/// What a server asks before it goes on, and the handle of the paused call.
fn find_questions(response: &RpcResponse) -> Option<(String, String)> {
    let RpcResponse::Result(result) = response else { return None };
    let result = Some(result).filter(|result| is_input_required(result))?;
    let requests = find(result, &["inputRequests"]).unwrap_or("{}");
    Some((requests.to_owned(), find(result, &["requestState"])?.to_owned()))
}
