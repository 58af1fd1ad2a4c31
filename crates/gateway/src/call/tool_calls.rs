//! The calls of one client: who makes them, and with which servers.

use super::servers::Servers;
use super::shared::SharedCalls;
use crate::client::ClientRequest;
use crate::client_identity::ClientIdentity;
use crate::limits;
use crate::locks::lock;
use crate::wire::{find, notification};
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{Project, StepName};
use countersign_core::model::words::Principal;
use countersign_core::state::CallState;
use countersign_engine::{EngineError, SessionOwner};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

pub(crate) struct ToolCalls {
    pub(crate) shared: Arc<SharedCalls>,
    pub(crate) owner: SessionOwner,
    pub(crate) principal: Principal,
    /// The project of its session.
    pub(crate) project: Option<Project>,
    pub(crate) servers: Arc<Servers>,
    /// The run that the client started, and the step that it named last.
    run: Mutex<(Option<RunId>, Option<StepName>)>,
}

impl ToolCalls {
    pub(crate) fn new(
        shared: Arc<SharedCalls>,
        client: ClientIdentity,
        servers: Arc<Servers>,
    ) -> Self {
        let ClientIdentity { owner, principal, project } = client;
        Self { shared, owner, principal, project, servers, run: Mutex::default() }
    }

    /// The run and the step that the client's calls belong to.
    pub(crate) fn current_run(&self) -> (Option<RunId>, Option<StepName>) {
        lock(&self.run).clone()
    }

    pub(crate) fn set_run(&self, run: Option<RunId>, step: Option<StepName>) {
        *lock(&self.run) = (run, step);
    }

    /// Waits until a call has its answer. True if there is one.
    pub(crate) async fn wait_for_operator(
        &self,
        request: &ClientRequest,
        call: CallId,
    ) -> Result<bool, EngineError> {
        let is_waiting = |slice| async move {
            let state = self.shared.host.wait_for_answer(call, &self.owner, slice).await?;
            Ok(state == Some(CallState::Parked))
        };
        self.wait_with_progress(request, is_waiting).await
    }

    /// Waits as long as the client of a request does, and reports progress. True if nothing waits any
    /// more.
    #[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
    pub(crate) async fn wait_with_progress<E, F: Future<Output = Result<bool, E>>>(
        &self,
        request: &ClientRequest,
        is_waiting: impl Fn(Duration) -> F,
    ) -> Result<bool, E> {
        let until = Instant::now() + self.shared.answer_wait(&request.hello.name());
        let token = find(request.message.params(), &["_meta", "progressToken"]);
        // Without progress to report there is nothing to wake up for: many calls may wait.
        let interval = if token.is_some() { limits::PROGRESS_INTERVAL } else { Duration::MAX };
        for step in 1_u32.. {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || request.reply.is_closed() {
                break;
            }
            if let Some(token) = token {
                request.reply.send(waiting_progress(token, step)).await;
            }
            let still_waiting = tokio::select! {
                waiting = is_waiting(left.min(interval)) => waiting?,
                () = request.wait_for_end() => break,
            };
            if !still_waiting {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Steps are tiny, so that the server's own progress, which comes later, is larger.
fn waiting_progress(token: &str, step: u32) -> String {
    let progress = f64::from(step) / 1_000_000.0;
    let params = format!(
        "{{\"progressToken\":{token},\"progress\":{progress},\
         \"message\":\"waiting for the operator's answer\"}}"
    );
    notification("notifications/progress", &params)
}
