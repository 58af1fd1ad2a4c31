//! Carries a task out in the background: waits for the operator, redeems the call, and keeps what
//! came of it.
//!
//! Redeeming is the conditional write that lets a call run once, even if others try: another client,
//! another node, or `retry`.

use super::super::{Context, Relay, Reply, RpcResponse};
use super::running::RunningTask;
use crate::call::execute::complete_abandoned;
use crate::call::kept::KeptResponse;
use crate::call::mirrored::MirroredHeaders;
use crate::call::texts::denied_result;
use crate::era::{ClientHello, is_input_required};
use crate::gateway::Gateway;
use crate::limits;
use crate::wire::Message;
use crate::wire::json_text::{find, set_member};
use crate::wire::message::request;
use countersign_core::model::ids::CallId;
use countersign_core::model::words::{Effect, Reason};
use countersign_core::state::CallState;
use countersign_engine::{CheckResult, Permit, SessionOwner};
use std::sync::Arc;
use tokio::sync::mpsc;

/// What a task does after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    WaitAgain,
    End,
}

/// Runs until the task is over or its client is gone. Then the next client that asks for the task
/// takes it up.
pub(super) async fn drive_task(
    gateway: Arc<Gateway>,
    owner: SessionOwner,
    call: CallId,
    task: Arc<RunningTask>,
    hello: ClientHello,
) {
    for _round in 0..limits::MAX_INPUT_ROUNDS {
        let Some(state) = wait_for_answer(&gateway, &owner, call, &task).await else { break };
        let is_answered =
            matches!(state, CallState::Approved | CallState::Declined | CallState::Expired);
        let Some(relay) = task.relay().filter(|_| is_answered) else { break };
        if relay.redeem_task(call, &task, &hello).await == Next::End {
            break;
        }
    }
    gateway.tasks.end(call, &task);
}

/// The state of the call once nobody is asked any more. None if nobody waits for that.
async fn wait_for_answer(
    gateway: &Gateway,
    owner: &SessionOwner,
    call: CallId,
    task: &RunningTask,
) -> Option<CallState> {
    loop {
        let state = gateway.host.wait_for_answer(call, owner, limits::TASK_WAIT).await.ok()??;
        if state != CallState::Parked {
            return Some(state);
        }
        let is_stopped = *gateway.host.stop_signal().borrow();
        if is_stopped || task.relay().is_none() {
            return None;
        }
    }
}

impl Relay {
    async fn redeem_task(
        self: &Arc<Self>,
        call: CallId,
        task: &Arc<RunningTask>,
        hello: &ClientHello,
    ) -> Next {
        match self.gateway.host.retry(call, self.owner.clone()).await {
            Ok(CheckResult::Allowed { permit, .. }) => {
                self.gateway.tasks.note_change();
                match task.cancel.is_cancelled() {
                    true => self.give_back(permit).await,
                    false => self.execute_task(task, hello, permit).await,
                }
                Next::End
            }
            Ok(CheckResult::Pending { .. }) => Next::WaitAgain,
            Ok(CheckResult::Denied { call: id, decision }) => {
                // Somebody else carries it out, and will say what came of it.
                if decision.reason != Reason::Running {
                    self.keep_outcome(call, denied_result(id, &decision));
                }
                Next::End
            }
            // The next client that asks for the task tries again.
            Ok(CheckResult::AlreadyDone { .. }) | Err(_) => Next::End,
        }
    }

    async fn execute_task(
        self: &Arc<Self>,
        task: &Arc<RunningTask>,
        hello: &ClientHello,
        permit: Permit,
    ) {
        let call = permit.call();
        let Some(context) = task_context(task, hello, "{}") else {
            return self.give_back(permit).await;
        };
        let mut response = self.redeem(&context, permit).await;
        for round in 1..=limits::MAX_INPUT_ROUNDS {
            let Some((requests, handle)) = find_questions(&response) else { break };
            task.ask(&requests, round);
            self.gateway.tasks.note_change();
            let answers = task.wait_for_answers().await;
            self.gateway.tasks.note_change();
            response = match answers {
                Some(answers) => self.continue_task(task, hello, (&handle, &answers)).await,
                None => return self.abandon_task(task, hello, &handle).await,
            };
        }
        match response {
            RpcResponse::Result(result) if is_input_required(&result) => {
                if let Some((_, handle)) = find_questions(&RpcResponse::Result(result)) {
                    self.abandon_task(task, hello, &handle).await;
                }
            }
            RpcResponse::Result(result) => self.keep_outcome(call, result),
            // It is kept already.
            RpcResponse::Forward(_) | RpcResponse::Error(_) => {}
        }
    }

    /// Nothing was sent. A store that fails now makes it unknown at the next start.
    async fn give_back(&self, permit: Permit) {
        let _failed = self.gateway.host.complete(permit.complete(Effect::Nothing)).await;
    }

    /// Gives the server its answers.
    async fn continue_task(
        self: &Arc<Self>,
        task: &RunningTask,
        hello: &ClientHello,
        (handle, answers): (&str, &str),
    ) -> RpcResponse {
        let params = set_member("{}", "inputResponses", answers);
        let params = set_member(&params, "requestState", handle);
        let gone = || RpcResponse::error(-32603, "the call no longer waits for input");
        let Some(context) = task_context(task, hello, &params) else { return gone() };
        match self.take_continuation(&context) {
            Some(paused) => self.continue_call(&context, paused).await,
            None => gone(),
        }
    }

    /// Nobody answers the server any more: whether it has acted is unknown.
    async fn abandon_task(self: &Arc<Self>, task: &RunningTask, hello: &ClientHello, handle: &str) {
        let params = set_member("{}", "requestState", handle);
        let context = task_context(task, hello, &params);
        if let Some(paused) = context.and_then(|context| self.take_continuation(&context)) {
            // A store that fails now makes it unknown at the next start.
            let _failed = complete_abandoned(&self.gateway.host, paused).await;
        }
    }

    /// Keeps a result that no server sent.
    pub(super) fn keep_outcome(&self, call: CallId, result: String) {
        self.gateway.kept.keep(call, KeptResponse::Result(Arc::from(result)));
    }
}

/// A request that nobody waits for, in the name of the client that started the task.
fn task_context(task: &RunningTask, hello: &ClientHello, params: &str) -> Option<Context> {
    let text = request("0", "tools/call", &hello.add_meta(params, None));
    let message = Message::parse(text).ok()?;
    let (sender, _nobody) = mpsc::channel(1);
    let (reply, cancel) = (Reply::new(sender), task.cancel.clone());
    let headers = MirroredHeaders::NotUsed;
    Some(Context { message, reply, cancel, hello: hello.clone(), headers })
}

/// What a server asks before it goes on, and the handle of the paused call.
fn find_questions(response: &RpcResponse) -> Option<(String, String)> {
    let RpcResponse::Result(result) = response else { return None };
    let result = Some(result).filter(|result| is_input_required(result))?;
    let requests = find(result, &["inputRequests"]).unwrap_or("{}");
    Some((requests.to_owned(), find(result, &["requestState"])?.to_owned()))
}
