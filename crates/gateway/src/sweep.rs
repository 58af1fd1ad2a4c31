//! What the gateway does by itself: it repeats calls that failed for a temporary cause, and gives up
//! those whose clients never sent the input that they paused for.

use crate::call::{complete_abandoned, replace_meta};
use crate::client::{Cancel, ClientRequest};
use crate::gateway::Gateway;
use crate::limits;
use crate::session::ClientSession;
use crate::upstream::HealthCheck;
use countersign_core::model::call::Call;
use countersign_core::model::words::Effect;
use countersign_engine::{EngineError, SessionOwner};
use countersign_operations::repeat::LeasedRepeat;
use std::sync::Arc;
use tokio::time::sleep;

impl Gateway {
    /// Runs until the host stops.
    #[allow(
        clippy::disallowed_methods,
        reason = "when a failed call is tried again is in the record"
    )]
    pub async fn sweep_regularly(self: &Arc<Self>) {
        loop {
            tokio::select! {
                () = sleep(limits::SWEEP_INTERVAL) => {}
                () = self.shared.host.wait_until_stopped() => return,
            }
            // The next round tries what the store did not take.
            let _failed = self.repeat_due().await;
            self.http.end_idle();
            for paused in self.shared.continuations.take_abandoned() {
                let _failed = complete_abandoned(&self.shared.host, paused).await;
            }
        }
    }

    /// Makes the attempts that are due now.
    pub async fn repeat_due(self: &Arc<Self>) -> Result<(), EngineError> {
        for leased in self.shared.host.run(|engine| engine.lease_repeats()).await? {
            match self.find_executor(&leased).await? {
                Some((session, stored)) => self.repeat(&leased, &session, &stored).await?,
                None => {
                    self.shared.host.run(move |engine| engine.skip_unhealthy(&leased)).await?;
                }
            }
        }
        Ok(())
    }

    /// A client of the call's session that has the call's server, and that server is healthy.
    async fn find_executor(
        &self,
        leased: &LeasedRepeat,
    ) -> Result<Option<(Arc<ClientSession>, Arc<Call>)>, EngineError> {
        let owner = SessionOwner { session: leased.session.clone(), agent: leased.agent.clone() };
        let call = leased.call;
        let stored = self.shared.host.run(move |engine| engine.stored_call(call, &owner)).await?;
        let Some(stored) = stored else { return Ok(None) };
        let check = HealthCheck::from_mapping(leased.health.as_deref());
        if !check.may_be_healthy().await {
            return Ok(None);
        }
        let server = stored.tool.as_ref().and_then(|tool| {
            let (server, _) = tool.as_str().strip_prefix("mcp__")?.split_once("__")?;
            Some(server.to_owned())
        });
        for session in self.sessions.find_all(&leased.session) {
            let slot = server.as_deref().and_then(|server| session.servers.find(server)).cloned();
            let (Some(slot), Some(hello)) = (slot, session.client.hello()) else { continue };
            let Ok(upstream) = session.servers.connect(&slot, &hello).await else { continue };
            if check.is_healthy(&upstream, &hello).await {
                return Ok(Some((session, stored)));
            }
        }
        Ok(None)
    }

    /// The result is kept for the client's `retry`.
    async fn repeat(
        &self,
        leased: &LeasedRepeat,
        session: &ClientSession,
        stored: &Call,
    ) -> Result<(), EngineError> {
        let redeemed = leased.clone();
        let permit = self.shared.host.run(move |engine| engine.redeem_lease(&redeemed)).await?;
        let (Some(permit), Some(hello)) = (permit, session.client.hello()) else { return Ok(()) };
        let cancel = Cancel::default();
        let request = ClientRequest::in_background(&session.client, &hello, "{}", cancel);
        let Some(request) = request else { return Ok(()) };
        let prepared = session.calls.restore_call(&request, leased.call, stored).await;
        let Ok(mut call) = prepared else {
            self.shared.host.complete(permit.complete(Effect::Nothing)).await?;
            return Ok(());
        };
        call.params = replace_meta(&call.params, &request);
        let _kept = session.calls.execute(&request, call, permit).await;
        Ok(())
    }
}
