//! Waiting for an answer, without holding a thread.

use crate::HostEngine;
use crate::{Host, limits};
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::CallId;
use countersign_core::state::CallState;
use countersign_engine::{CheckResult, EngineError, SessionOwner};
use std::time::Duration;
use tokio::time::Instant;

impl Host {
    /// Decides a call; if it asks, waits for the answer and decides it again. `respond` turns a
    /// result into what the caller sends back, so that a waiting call holds little memory.
    pub async fn check_and_wait<R>(
        &self,
        mut draft: CallDraft,
        limit: Duration,
        respond: impl Fn(CheckResult) -> R,
    ) -> Result<R, EngineError> {
        draft.parking = self.limit_parking(draft.parking);
        let (session, agent) = (draft.session.clone(), draft.agent.clone());
        let owner = SessionOwner { session, agent };
        let step = |engine: &HostEngine, durability, callback| {
            engine.try_check(&draft, durability, callback)
        };
        let checked = match Box::pin(self.try_fast_path(step)).await? {
            Some(checked) => checked,
            None => Box::pin(self.run(move |engine| engine.check(&draft))).await?,
        };
        let CheckResult::Pending { call, .. } = checked else { return Ok(respond(checked)) };
        let pending = respond(checked);
        if limit.is_zero() {
            return Ok(pending);
        }
        match self.wait_for_answer(call, &owner, limit).await? {
            Some(CallState::Parked) | None => Ok(pending),
            Some(_) => self.retry(call, owner).await.map(respond),
        }
    }

    /// Waits until a call is answered, or the limit is over. Returns the state of the call; none if
    /// this owner did not make it.
    pub async fn wait_for_answer(
        &self,
        call: CallId,
        owner: &SessionOwner,
        limit: Duration,
    ) -> Result<Option<CallState>, EngineError> {
        let reader = owner.clone();
        let read = move |engine: &HostEngine| engine.call_state(call, &reader);
        let is_waiting = |state: &Option<CallState>| *state == Some(CallState::Parked);
        self.wait_while(owner, limit, read, is_waiting).await
    }

    /// Reads again after each commit that may concern the owner's session, until nothing waits any
    /// more or the limit is over.
    #[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
    pub(crate) async fn wait_while<T: Send + 'static>(
        &self,
        owner: &SessionOwner,
        limit: Duration,
        read: impl Fn(&HostEngine) -> Result<T, EngineError> + Clone + Send + 'static,
        is_waiting: impl Fn(&T) -> bool,
    ) -> Result<T, EngineError> {
        let waiter = self.waiters.join(&owner.session);
        let until = Instant::now() + limit;
        loop {
            // Registered before the read, so that no wake-up between the two is missed.
            let woken = waiter.wait_for_wake_up();
            let found = self.run(read.clone()).await?;
            let left = until.saturating_duration_since(Instant::now());
            if !is_waiting(&found) || left.is_zero() {
                return Ok(found);
            }
            tokio::select! {
                () = woken => {}
                () = tokio::time::sleep(left.min(limits::POLL_INTERVAL)) => {}
                () = self.wait_until_stopped() => return Ok(found),
            }
        }
    }
}
