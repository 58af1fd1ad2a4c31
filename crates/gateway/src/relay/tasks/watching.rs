//! Tells subscribers how their tasks go on.

use super::super::{Context, Relay, RpcResponse};
use super::tasks_not_declared;
use super::view::TaskStatus;
use crate::era::META_SUBSCRIPTION;
use crate::limits;
use crate::wire::json_text::{decode_string, read_items, set_at};
use crate::wire::message::notification;
use countersign_core::model::ids::CallId;
use std::future::pending;
use std::sync::Arc;

/// A task, and what its subscriber heard last.
struct WatchedTask {
    call: CallId,
    told: Option<TaskStatus>,
}

impl Relay {
    /// The tasks of this session among those that a subscription names.
    pub(in super::super) async fn select_tasks(
        &self,
        context: &Context,
        ids: &str,
    ) -> Result<Vec<CallId>, RpcResponse> {
        if !context.hello.takes_tasks() {
            return Err(tasks_not_declared());
        }
        let Some(ids) = read_items(ids) else {
            return Err(RpcResponse::invalid("`taskIds` is not a list"));
        };
        let mut calls = Vec::new();
        for id in ids.into_iter().take(limits::MAX_WATCHED_TASKS) {
            let Some(call) = decode_string(id).and_then(|id| CallId::parse(&id)) else { continue };
            let own = self.read_own_call(call).await;
            let own = own.map_err(|error| RpcResponse::error(-32603, &error.to_string()))?;
            if own.is_some() && !calls.contains(&call) {
                calls.push(call);
            }
        }
        Ok(calls)
    }

    /// Sends each task as it is now, and again whenever it changes. Never returns.
    pub(in super::super) async fn watch_tasks(
        self: &Arc<Self>,
        context: &Context,
        calls: Vec<CallId>,
    ) {
        let mut changes = self.gateway.tasks.watch();
        let watch = |call| WatchedTask { call, told: None };
        let mut watched: Vec<WatchedTask> = calls.into_iter().map(watch).collect();
        while !watched.is_empty() {
            changes.mark_unchanged();
            for task in &mut watched {
                self.tell_change(context, task).await;
            }
            watched.retain(|task| !task.told.as_ref().is_some_and(TaskStatus::is_over));
            if !watched.is_empty() && changes.changed().await.is_err() {
                break;
            }
        }
        pending().await
    }

    async fn tell_change(self: &Arc<Self>, context: &Context, task: &mut WatchedTask) {
        // A store that fails now is read again at the next change.
        let Ok(Some(own)) = self.read_own_call(task.call).await else { return };
        let status = self.find_status(&context.hello, task.call, &own).await;
        if task.told.as_ref() == Some(&status) {
            return;
        }
        let text = self.describe_task(task.call, &status, own.read_at);
        let params = set_at(&text, &["_meta", META_SUBSCRIPTION], context.message.id());
        context.reply.send(notification("notifications/tasks", &params)).await;
        task.told = Some(status);
    }
}
