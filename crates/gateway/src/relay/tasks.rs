//! Tasks: calls that a client asks for again later, instead of waiting for them.
//!
//! A task is a call on record, and its id is the operation id. So it survives the client, the daemon
//! and the node. Only a client that declares the extension gets one.

mod drive;
mod running;
mod view;
mod watching;

pub(crate) use running::RunningTasks;

use super::{Context, Front, Relay, RpcResponse};
use crate::call::texts::{denied_result, refusal, result_gone, unknown_result};
use crate::era::{ClientHello, Era, TASKS};
use crate::wire::Members;
use crate::wire::json_text::{decode_string, encode_string, find, set_member};
use crate::wire::message::error_object;
use countersign_core::decide::explain;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use countersign_core::model::words::Effect;
use countersign_core::state::CallState;
use countersign_engine::{CallUpdate, CheckResult, EngineError, OwnCall};
use drive::drive_task;
use std::sync::Arc;
use view::{TaskStatus, created_at};

impl Relay {
    /// Makes a task of a call that asks. The call is on record already.
    pub(crate) fn create_task(
        self: &Arc<Self>,
        context: &Context,
        call: CallId,
        decision: &Decision,
    ) -> RpcResponse {
        self.start_task(&context.hello, call);
        let text = format!("Waiting for the operator: {}.", explain::sentence(decision));
        let status = TaskStatus::Working(text);
        let task = self.describe_task(call, &status, created_at(call));
        RpcResponse::Result(set_member(&task, "resultType", "\"task\""))
    }

    pub(super) async fn answer_task_request(self: &Arc<Self>, context: &Context) -> RpcResponse {
        // The older protocol has tasks of its own, which concern its server alone.
        if context.hello.era == Era::Legacy {
            return self.forward(context).await;
        }
        if !context.hello.takes_tasks() {
            return tasks_not_declared();
        }
        let id = find(context.message.params(), &["taskId"]).and_then(decode_string);
        let own = match id.and_then(|id| CallId::parse(&id)) {
            Some(call) => self.answer_own_task(context, call).await,
            None => Ok(None),
        };
        match own {
            Ok(Some(answer)) => answer,
            Ok(None) => self.forward_task_request(context).await,
            Err(error) => RpcResponse::error(-32603, &error.to_string()),
        }
    }

    /// None if it is no call of this session and agent.
    async fn answer_own_task(
        self: &Arc<Self>,
        context: &Context,
        call: CallId,
    ) -> Result<Option<RpcResponse>, EngineError> {
        let Some(own) = self.read_own_call(call).await? else { return Ok(None) };
        let done = || RpcResponse::Result("{}".to_owned());
        Ok(Some(match context.message.method() {
            "tasks/get" => {
                let status = self.find_status(&context.hello, call, &own).await;
                RpcResponse::Result(self.describe_task(call, &status, own.read_at))
            }
            "tasks/update" => {
                let responses = find(context.message.params(), &["inputResponses"]);
                let Some(responses) = responses.and_then(Members::read) else {
                    return Ok(Some(RpcResponse::invalid("`inputResponses` is not an object")));
                };
                if let Some(task) = self.gateway.tasks.find(call) {
                    task.answer(&responses);
                }
                done()
            }
            _ => {
                self.cancel_task(call).await?;
                done()
            }
        }))
    }

    /// A server that announces the extension knows its own tasks.
    async fn forward_task_request(self: &Arc<Self>, context: &Context) -> RpcResponse {
        if let (Front::Single, Some(slot)) = (self.front, self.slots.first())
            && let Ok(upstream) = self.connect(slot, &context.hello).await
            && upstream.hello().has_capability(&["extensions", TASKS])
        {
            return self.forward(context).await;
        }
        RpcResponse::invalid("no task of this session has that id")
    }

    async fn read_own_call(&self, call: CallId) -> Result<Option<OwnCall>, EngineError> {
        let owner = self.owner.clone();
        self.gateway.host.run(move |engine| engine.read_own_call(call, &owner)).await
    }

    fn describe_task(&self, call: CallId, status: &TaskStatus, read_at: Time) -> String {
        let updated_at = self.gateway.tasks.note_status(call, status.word(), read_at);
        status.describe(call, updated_at)
    }

    /// Waits for the call in the background, if nobody does.
    fn start_task(self: &Arc<Self>, hello: &ClientHello, call: CallId) {
        if let Some(task) = self.gateway.tasks.start(call, self) {
            let (gateway, owner) = (Arc::clone(&self.gateway), self.owner.clone());
            tokio::spawn(drive_task(gateway, owner, call, task, hello.without_tasks()));
        }
    }

    /// The record says how far the call is. One that waits or was approved is taken up here.
    async fn find_status(
        self: &Arc<Self>,
        hello: &ClientHello,
        call: CallId,
        own: &OwnCall,
    ) -> TaskStatus {
        let working = |text: &str| TaskStatus::Working(text.to_owned());
        match own.state {
            CallState::Parked | CallState::Approved => match self.gateway.kept.find(call) {
                // It was denied although the operator said yes, such as by a new rule.
                Some(outcome) => outcome.into(),
                None => {
                    self.start_task(hello, call);
                    working("Waiting for the operator.")
                }
            },
            CallState::Executing => {
                let task = self.gateway.tasks.find(call);
                match task.and_then(|task| task.open_questions()) {
                    Some(requests) => TaskStatus::InputRequired(requests),
                    None => working("The call is being carried out."),
                }
            }
            CallState::Ended(_) if own.repeats_at.is_some() => {
                working("The server could not be reached. The call is tried again.")
            }
            CallState::Ended(effect) => self.describe_end(call, effect).await,
            CallState::Declined | CallState::Expired => self.describe_denial(call).await,
            CallState::Denied => match self.gateway.kept.find(call) {
                Some(outcome) => outcome.into(),
                None => TaskStatus::Completed(refusal("Not carried out: it was denied.")),
            },
            CallState::Stopped => TaskStatus::Cancelled("The operator stopped it."),
            CallState::Cancelled => TaskStatus::Cancelled("It was withdrawn."),
        }
    }

    async fn describe_end(&self, call: CallId, effect: Effect) -> TaskStatus {
        match (effect, self.find_response(call).await) {
            (Effect::Unknown, _) => {
                let why = "its server did not report an end";
                TaskStatus::Completed(unknown_result(call, why))
            }
            (_, Some(response)) => response.into(),
            (Effect::Nothing, None) => TaskStatus::Cancelled("Nothing has been done."),
            (Effect::Done, None) => TaskStatus::Completed(result_gone(call)),
            (Effect::Failed | Effect::Forbidden, None) => {
                let text = "This call failed. Its result is no longer available.";
                TaskStatus::Completed(refusal(text))
            }
        }
    }

    /// The sentence and the note come with the decision. Its record stays as it is.
    async fn describe_denial(&self, call: CallId) -> TaskStatus {
        if let Some(outcome) = self.gateway.kept.find(call) {
            return outcome.into();
        }
        match self.gateway.host.retry(call, self.owner.clone()).await {
            Ok(CheckResult::Denied { call: id, decision }) => {
                let result = denied_result(id, &decision);
                self.keep_outcome(call, result.clone());
                TaskStatus::Completed(result)
            }
            Ok(CheckResult::Allowed { permit, .. }) => {
                let nothing = permit.complete(Effect::Nothing);
                let _recorded = self.gateway.host.complete(nothing).await;
                TaskStatus::Cancelled("Nothing has been done.")
            }
            Ok(CheckResult::Pending { .. } | CheckResult::AlreadyDone { .. }) | Err(_) => {
                TaskStatus::Working("The answer cannot be read now.".to_owned())
            }
        }
    }

    /// Withdraws the question, or gives a yes back that was not used yet. A server that works on the
    /// call is told; it decides itself whether it stops.
    async fn cancel_task(&self, call: CallId) -> Result<(), EngineError> {
        // First, so that a driver that redeems the call from now on notices.
        if let Some(task) = self.gateway.tasks.find(call) {
            task.cancel.cancel();
        }
        // One conditional write: another node either carries the call out, or finds it cancelled.
        self.withdraw(call).await?;
        self.gateway.tasks.note_change();
        Ok(())
    }

    async fn withdraw(&self, call: CallId) -> Result<CallUpdate, EngineError> {
        let owner = self.owner.clone();
        self.gateway.host.run(move |engine| engine.cancel(call, &owner)).await
    }
}

/// The client did not say that it knows tasks.
fn tasks_not_declared() -> RpcResponse {
    let error = error_object(-32021, "the client does not declare the extension for tasks");
    let required = format!("{{\"extensions\":{{{}:{{}}}}}}", encode_string(TASKS));
    let data = format!("{{\"requiredCapabilities\":{required}}}");
    RpcResponse::Error(set_member(&error, "data", &data))
}
