//! How far a task is, in words for its client.

use super::task_driver::start_task;
use super::task_status::{TaskStatus, created_at};
use super::texts::{denied_result, refusal, result_gone, unknown_result};
use super::tool_calls::ToolCalls;
use crate::client::ClientRequest;
use crate::wire::{RpcResponse, set_member};
use countersign_core::decide::explain;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::time::Time;
use countersign_core::model::words::Effect;
use countersign_core::state::CallState;
use countersign_engine::{CheckResult, EngineError, OwnCall};
use std::sync::Arc;

/// Makes a task of a call that asks. The call is on record already.
pub(crate) fn create_task(
    calls: &Arc<ToolCalls>,
    request: &ClientRequest,
    call: CallId,
    decision: &Decision,
) -> RpcResponse {
    start_task(calls, request, call);
    let text = format!("Waiting for the operator: {}.", explain::sentence(decision));
    let status = TaskStatus::Working(text);
    let task = describe_task(calls, call, &status, created_at(call));
    RpcResponse::Result(set_member(&task, "resultType", "\"task\""))
}

pub(crate) fn describe_task(
    calls: &ToolCalls,
    call: CallId,
    status: &TaskStatus,
    read_at: Time,
) -> String {
    let updated_at = calls.shared.tasks.note_status(call, status.word(), read_at);
    status.describe(call, updated_at)
}

/// The record says how far the call is. One that waits or was approved is taken up here.
pub(crate) async fn find_task_status(
    calls: &Arc<ToolCalls>,
    request: &ClientRequest,
    call: CallId,
    own: &OwnCall,
) -> TaskStatus {
    let working = |text: &str| TaskStatus::Working(text.to_owned());
    match own.state {
        CallState::Parked | CallState::Approved => match calls.shared.kept.find_in_memory(call) {
            // It was denied although the operator said yes, such as by a new rule.
            Some(outcome) => outcome.into(),
            None => {
                start_task(calls, request, call);
                working("Waiting for the operator.")
            }
        },
        CallState::Executing => {
            let task = calls.shared.tasks.find(call);
            match task.and_then(|task| task.open_questions()) {
                Some(requests) => TaskStatus::InputRequired(requests),
                None => working("The call is being carried out."),
            }
        }
        CallState::Ended(_) if own.repeats_at.is_some() => {
            working("The server could not be reached. The call is tried again.")
        }
        CallState::Ended(effect) => describe_end(calls, call, effect).await,
        CallState::Declined | CallState::Expired => describe_denial(calls, call).await,
        CallState::Denied => match calls.shared.kept.find_in_memory(call) {
            Some(outcome) => outcome.into(),
            None => TaskStatus::Completed(refusal("Not carried out: it was denied.")),
        },
        CallState::Stopped => TaskStatus::Cancelled("The operator stopped it."),
        CallState::Cancelled => TaskStatus::Cancelled("It was withdrawn."),
    }
}

async fn describe_end(calls: &ToolCalls, call: CallId, effect: Effect) -> TaskStatus {
    match (effect, calls.shared.kept.find(call, &calls.owner).await) {
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
async fn describe_denial(calls: &ToolCalls, call: CallId) -> TaskStatus {
    if let Some(outcome) = calls.shared.kept.find_in_memory(call) {
        return outcome.into();
    }
    match calls.shared.host.retry(call, calls.owner.clone()).await {
        Ok(CheckResult::Denied { call: id, decision }) => {
            let result = denied_result(id, &decision);
            calls.shared.kept.keep_result(call, result.clone());
            TaskStatus::Completed(result)
        }
        Ok(CheckResult::Allowed { permit, .. }) => {
            let nothing = permit.complete(Effect::Nothing);
            let _recorded = calls.shared.host.complete(nothing).await;
            TaskStatus::Cancelled("Nothing has been done.")
        }
        Ok(CheckResult::Pending { .. } | CheckResult::AlreadyDone { .. }) | Err(_) => {
            TaskStatus::Working("The answer cannot be read now.".to_owned())
        }
    }
}

/// Withdraws the question, or gives a yes back that was not used yet. A server that works on the
/// call is told; it decides itself whether it stops.
pub(crate) async fn cancel_task(calls: &ToolCalls, call: CallId) -> Result<(), EngineError> {
    // First, so that a driver that redeems the call from now on notices.
    if let Some(task) = calls.shared.tasks.find(call) {
        task.cancel.cancel();
    }
    // One conditional write: another node either carries the call out, or finds it cancelled.
    let owner = calls.owner.clone();
    calls.shared.host.run(move |engine| engine.cancel(call, &owner)).await?;
    calls.shared.tasks.note_change();
    Ok(())
}
