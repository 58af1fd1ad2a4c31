//! What the gateway does by itself: it repeats calls that failed for a temporary cause, and gives up
//! those whose clients never sent the input that they paused for.

use crate::call::execute::complete_abandoned;
use crate::call::mirrored::MirroredHeaders;
use crate::gateway::Gateway;
use crate::limits;
use crate::own::adopt_meta;
use crate::relay::{Cancel, Context, Relay, Reply, lock};
use crate::upstream::HealthCheck;
use crate::wire::Message;
use countersign_core::model::call::Call;
use countersign_core::model::names::SessionKey;
use countersign_core::model::words::Effect;
use countersign_core::steps::repeat::Leased;
use countersign_engine::{EngineError, SessionOwner};
use std::sync::Arc;
use tokio::sync::mpsc;
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
                () = self.host.wait_until_stopped() => return,
            }
            // The next round tries what the store did not take.
            let _failed = self.repeat_due().await;
            self.end_idle_clients();
            for paused in self.continuations.take_abandoned() {
                let _failed = complete_abandoned(&self.host, paused).await;
            }
        }
    }

    /// Makes the attempts that are due now.
    pub async fn repeat_due(self: &Arc<Self>) -> Result<(), EngineError> {
        for leased in self.host.run(|engine| engine.lease_repeats()).await? {
            match self.find_executor(&leased).await? {
                Some((relay, stored)) => self.repeat(&leased, &relay, &stored).await?,
                None => {
                    self.host.run(move |engine| engine.skip_unhealthy(&leased)).await?;
                }
            }
        }
        Ok(())
    }

    /// A client of the call's session that has the call's server, and that server is healthy.
    async fn find_executor(
        &self,
        leased: &Leased,
    ) -> Result<Option<(Arc<Relay>, Arc<Call>)>, EngineError> {
        let owner = SessionOwner { session: leased.session.clone(), agent: leased.agent.clone() };
        let call = leased.call;
        let stored = self.host.run(move |engine| engine.stored_call(call, &owner)).await?;
        let Some(stored) = stored else { return Ok(None) };
        let check = HealthCheck::from_mapping(leased.health.as_deref());
        if !check.may_be_healthy().await {
            return Ok(None);
        }
        let server = stored.tool.as_ref().and_then(|tool| {
            let (server, _) = tool.as_str().strip_prefix("mcp__")?.split_once("__")?;
            Some(server.to_owned())
        });
        for relay in self.relays_of(&leased.session) {
            let slot = server.as_deref().and_then(|server| relay.find_slot(server)).cloned();
            let (Some(slot), Some(hello)) = (slot, relay.client()) else { continue };
            let Ok(upstream) = relay.connect(&slot, &hello).await else { continue };
            if check.is_healthy(&upstream, &hello).await {
                return Ok(Some((relay, stored)));
            }
        }
        Ok(None)
    }

    fn relays_of(&self, session: &SessionKey) -> Vec<Arc<Relay>> {
        let relays = lock(&self.relays);
        let live = relays.iter().filter_map(std::sync::Weak::upgrade);
        live.filter(|relay| relay.owner.session == *session).collect()
    }

    /// The result is kept for the client's `retry`.
    async fn repeat(
        &self,
        leased: &Leased,
        relay: &Arc<Relay>,
        stored: &Call,
    ) -> Result<(), EngineError> {
        let redeemed = leased.clone();
        let permit = self.host.run(move |engine| engine.redeem_lease(&redeemed)).await?;
        let (Some(permit), Some(hello)) = (permit, relay.client()) else { return Ok(()) };
        let (sender, _nobody) = mpsc::channel(1);
        let Ok(message) = Message::parse(REPEATED.to_owned()) else { return Ok(()) };
        let (reply, headers) = (Reply::new(sender), MirroredHeaders::NotUsed);
        let context = Context { message, reply, cancel: Cancel::default(), hello, headers };
        let prepared = relay.restore_call(&context, leased.call, stored).await;
        let Ok(mut call) = prepared else {
            self.host.complete(permit.complete(Effect::Nothing)).await?;
            return Ok(());
        };
        call.params = adopt_meta(&call.params, &context);
        let _kept = relay.execute(&context, call, permit).await;
        Ok(())
    }
}

/// Stands for the request that a client sent before. Its params come from the record.
const REPEATED: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{}}";
