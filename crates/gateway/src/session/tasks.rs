//! Requests about tasks: those of our own, and those of a server that has the extension.
//!
//! Subscribers hear how their tasks go on.

use super::client_session::ClientSession;
use super::forward::forward;
use crate::call::{
    TaskStatus, ToolCalls, cancel_task, describe_task, find_task_status, read_own_call,
};
use crate::client::ClientRequest;
use crate::limits;
use crate::wire::{
    Era, META_SUBSCRIPTION, Members, RpcResponse, TASKS, decode_string, encode_string,
    error_object, find, notification, read_items, set_at, set_member,
};
use countersign_core::model::ids::CallId;
use countersign_engine::EngineError;
use std::future::pending;
use std::sync::Arc;

pub(super) async fn answer_task_request(
    session: &ClientSession,
    request: &ClientRequest,
) -> RpcResponse {
    // The older protocol has tasks of its own, which concern its server alone.
    if request.hello.era == Era::Legacy {
        return forward(session, request).await;
    }
    if !request.hello.takes_tasks() {
        return tasks_not_declared();
    }
    let id = find(request.message.params(), &["taskId"]).and_then(decode_string);
    let own = match id.and_then(|id| CallId::parse(&id)) {
        Some(call) => answer_own_task(&session.calls, request, call).await,
        None => Ok(None),
    };
    match own {
        Ok(Some(answer)) => answer,
        Ok(None) => forward_task_request(session, request).await,
        Err(error) => RpcResponse::error(-32603, &error.to_string()),
    }
}

/// None if it is no call of this session and agent.
async fn answer_own_task(
    calls: &Arc<ToolCalls>,
    request: &ClientRequest,
    call: CallId,
) -> Result<Option<RpcResponse>, EngineError> {
    let Some(own) = read_own_call(calls, call).await? else { return Ok(None) };
    Ok(Some(match request.message.method() {
        "tasks/get" => {
            let status = find_task_status(calls, request, call, &own).await;
            RpcResponse::Result(describe_task(calls, call, &status, own.read_at))
        }
        "tasks/update" => {
            let responses = find(request.message.params(), &["inputResponses"]);
            let Some(responses) = responses.and_then(Members::read) else {
                return Ok(Some(RpcResponse::invalid("`inputResponses` is not an object")));
            };
            if let Some(task) = calls.shared.tasks.find(call) {
                task.answer(&responses);
            }
            RpcResponse::empty()
        }
        _ => {
            cancel_task(calls, call).await?;
            RpcResponse::empty()
        }
    }))
}

/// A server that announces the extension knows its own tasks.
async fn forward_task_request(session: &ClientSession, request: &ClientRequest) -> RpcResponse {
    if let Some(slot) = session.servers.single()
        && let Ok(upstream) = session.servers.connect(slot, &request.hello).await
        && upstream.hello().has_capability(&["extensions", TASKS])
    {
        return forward(session, request).await;
    }
    RpcResponse::invalid("no task of this session has that id")
}

/// A task, and what its subscriber heard last.
struct WatchedTask {
    call: CallId,
    told: Option<TaskStatus>,
}

/// The tasks of this session among those that a subscription names.
pub(super) async fn select_tasks(
    calls: &ToolCalls,
    request: &ClientRequest,
    ids: &str,
) -> Result<Vec<CallId>, RpcResponse> {
    if !request.hello.takes_tasks() {
        return Err(tasks_not_declared());
    }
    let Some(ids) = read_items(ids) else {
        return Err(RpcResponse::invalid("`taskIds` is not a list"));
    };
    let mut selected = Vec::new();
    for id in ids.into_iter().take(limits::MAX_WATCHED_TASKS) {
        let Some(call) = decode_string(id).and_then(|id| CallId::parse(&id)) else { continue };
        let own = read_own_call(calls, call).await;
        let own = own.map_err(|error| RpcResponse::error(-32603, &error.to_string()))?;
        if own.is_some() && !selected.contains(&call) {
            selected.push(call);
        }
    }
    Ok(selected)
}

/// Sends each task as it is now, and again whenever it changes. Never returns.
pub(super) async fn watch_tasks(calls: &Arc<ToolCalls>, request: &ClientRequest, ids: Vec<CallId>) {
    let mut changes = calls.shared.tasks.watch();
    let watch = |call| WatchedTask { call, told: None };
    let mut watched: Vec<WatchedTask> = ids.into_iter().map(watch).collect();
    while !watched.is_empty() {
        changes.mark_unchanged();
        for task in &mut watched {
            tell_change(calls, request, task).await;
        }
        watched.retain(|task| !task.told.as_ref().is_some_and(TaskStatus::is_over));
        if !watched.is_empty() && changes.changed().await.is_err() {
            break;
        }
    }
    pending().await
}

async fn tell_change(calls: &Arc<ToolCalls>, request: &ClientRequest, task: &mut WatchedTask) {
    // A store that fails now is read again at the next change.
    let Ok(Some(own)) = read_own_call(calls, task.call).await else { return };
    let status = find_task_status(calls, request, task.call, &own).await;
    if task.told.as_ref() == Some(&status) {
        return;
    }
    let text = describe_task(calls, task.call, &status, own.read_at);
    let params = set_at(&text, &["_meta", META_SUBSCRIPTION], request.message.id());
    request.reply.send(notification("notifications/tasks", &params)).await;
    task.told = Some(status);
}

/// The client did not say that it knows tasks.
fn tasks_not_declared() -> RpcResponse {
    let error = error_object(-32021, "the client does not declare the extension for tasks");
    let required = format!("{{\"extensions\":{{{}:{{}}}}}}", encode_string(TASKS));
    let data = format!("{{\"requiredCapabilities\":{required}}}");
    RpcResponse::Error(set_member(&error, "data", &data))
}
