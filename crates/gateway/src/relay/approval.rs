//! The first start of a server that a client named: the operator is asked once.
//!
//! The question is a call of the action `mcp.add_server`, decided like any other. A yes pins the
//! command line and the program's content; the same server then starts without a question.

use super::Relay;
use super::slots::{ServerSlot, StartState, Unavailable};
use crate::era::ClientHello;
use crate::identity::ServerIdentity;
use crate::limits;
use crate::spec::Launch;
use countersign_core::decide::explain;
use countersign_core::model::call::CallDraft;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::Action;
use countersign_core::model::words::Effect;
use countersign_engine::{CheckResult, EngineError, Permit};
use std::sync::Arc;
use std::time::Duration;

const ADD_SERVER: &str = "mcp.add_server";

impl Relay {
    /// Returns if the operator has approved this server, now or before.
    pub(super) async fn check_approved(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        start: &mut StartState,
        client: &ClientHello,
    ) -> Result<(), Unavailable> {
        let name = slot.spec.name.as_str();
        let identity = identify(slot).await?;
        if self.gateway.pins.is_server_pinned(name, &identity) {
            return Ok(());
        }
        let draft = self.draft_add_server(name, &identity)?;
        let checked = self.gateway.host.check_and_wait(draft, Duration::ZERO, |checked| checked);
        match checked.await.map_err(engine_failure)? {
            CheckResult::Allowed { permit, .. } => self.pin_server(name, &identity, permit).await,
            CheckResult::Pending { call, decision, .. } => {
                if !std::mem::replace(&mut start.is_watched, true) {
                    self.watch_approval(slot, call, client.clone());
                }
                let sentence = explain::sentence(&decision);
                Err(Unavailable::Waiting(format!(
                    "the MCP server `{name}` waits for the operator's approval: {sentence}"
                )))
            }
            CheckResult::Denied { decision, .. } | CheckResult::AlreadyDone { decision, .. } => {
                let sentence = explain::sentence(&decision);
                Err(Unavailable::Refused(format!(
                    "the MCP server `{name}` is not started: {sentence}"
                )))
            }
        }
    }

    fn draft_add_server(
        &self,
        name: &str,
        identity: &ServerIdentity,
    ) -> Result<CallDraft, Unavailable> {
        let action =
            Action::parse(ADD_SERVER).map_err(|error| Unavailable::Refused(error.to_string()))?;
        let (agent, session) = (self.owner.agent.clone(), self.owner.session.clone());
        let mut draft = CallDraft::plain(agent, session, action);
        draft.project.clone_from(&self.project);
        draft.args = identity.to_arguments(name);
        draft.target = vec![name.to_owned()];
        draft.parking = self.gateway.parking();
        Ok(draft)
    }

    /// The pin is the effect of the call, so it is written before the call is complete.
    async fn pin_server(
        &self,
        name: &str,
        identity: &ServerIdentity,
        permit: Permit,
    ) -> Result<(), Unavailable> {
        let pinned = self.gateway.pins.pin_server(name, identity).await;
        let effect = if pinned.is_ok() { Effect::Done } else { Effect::Failed };
        let completed = self.gateway.host.complete(permit.complete(effect)).await;
        pinned.map_err(Unavailable::Down)?;
        completed.map(drop).map_err(engine_failure)
    }

    /// Starts the server as soon as the operator has said yes, and tells the client that there are
    /// tools now.
    fn watch_approval(self: &Arc<Self>, slot: &Arc<ServerSlot>, call: CallId, client: ClientHello) {
        let (relay, slot) = (Arc::downgrade(self), Arc::clone(slot));
        let (host, owner) = (Arc::clone(&self.gateway.host), self.owner.clone());
        tokio::spawn(async move {
            let _answered = host.wait_for_answer(call, &owner, limits::SERVER_QUESTION).await;
            let Some(relay) = relay.upgrade() else { return };
            slot.stop_watching().await;
            if relay.connect(&slot, &client).await.is_ok() {
                relay.announce_lists().await;
            }
        });
    }
}

async fn identify(slot: &ServerSlot) -> Result<ServerIdentity, Unavailable> {
    let launch = slot.spec.launch.clone();
    let identified = match launch {
        Launch::Process(spec) => {
            tokio::task::spawn_blocking(move || ServerIdentity::of_process(&spec)).await
        }
        Launch::Http(spec) => Ok(Ok(ServerIdentity::of_url(&spec.url))),
    };
    let identified = identified.unwrap_or_else(|_| Err("its program cannot be read".to_owned()));
    identified.map_err(|why| Unavailable::Down(format!("`{}`: {why}", slot.spec.name)))
}

fn engine_failure(error: EngineError) -> Unavailable {
    Unavailable::Down(format!("Countersign cannot decide now: {error}"))
}
