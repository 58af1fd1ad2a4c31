//! The first start of a server that a client named: the operator is asked once.
//!
//! The question is a call of the action `mcp.add_server`, decided like any other. A yes pins the
//! command line and the content of the files that it starts; the same server then starts without a
//! question. Where a line starts what cannot be pinned, the card says so, and each start asks.

use crate::client_identity::ClientIdentity;
use crate::pins::{Pins, ServerIdentity};
use crate::spec::{Launch, ServerSpec};
use countersign_core::decide::explain;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::Action;
use countersign_core::model::words::Effect;
use countersign_engine::{CheckResult, EngineError, Permit};
use countersign_host::Host;
use std::sync::Arc;
use std::time::Duration;

const ADD_SERVER: &str = "mcp.add_server";

/// Asks in the name of one client.
pub(super) struct ServerApproval {
    pub(super) host: Arc<Host>,
    pub(super) pins: Arc<Pins>,
    pub(super) client: ClientIdentity,
}

pub(super) enum ApprovalOutcome {
    /// Now or before.
    Given,
    /// The operator has not answered this call yet, and what the client is told about it.
    Waiting(CallId, String),
}

impl ServerApproval {
    /// Whether the operator has approved this server, as it is now.
    pub(super) async fn is_given(&self, spec: &ServerSpec) -> bool {
        let identity = identify(spec).await;
        identity.is_ok_and(|identity| self.pins.is_server_pinned(spec.name.as_str(), &identity))
    }

    /// A refusal is an error, in words for the client.
    pub(super) async fn check(&self, spec: &ServerSpec) -> Result<ApprovalOutcome, String> {
        let name = spec.name.as_str();
        let identity = identify(spec).await?;
        if identity.unpinned.is_none() && self.pins.is_server_pinned(name, &identity) {
            return Ok(ApprovalOutcome::Given);
        }
        let draft = self.draft_call(name, &identity)?;
        let checked = self.host.check_and_wait(draft, Duration::ZERO, |checked| checked);
        match checked.await.map_err(|error| undecided(&error))? {
            CheckResult::Allowed { permit, .. } => self.pin_server(name, &identity, permit).await,
            CheckResult::Pending { call, decision, .. } => {
                let sentence = explain::sentence(&decision);
                Ok(ApprovalOutcome::Waiting(
                    call,
                    format!(
                        "the MCP server `{name}` waits for the operator's approval: {sentence}"
                    ),
                ))
            }
            CheckResult::Denied { decision, .. } | CheckResult::AlreadyDone { decision, .. } => {
                let sentence = explain::sentence(&decision);
                Err(format!("the MCP server `{name}` is not started: {sentence}"))
            }
        }
    }

    fn draft_call(&self, name: &str, identity: &ServerIdentity) -> Result<CallDraft, String> {
        let action = Action::parse(ADD_SERVER).map_err(|error| error.to_string())?;
        let owner = self.client.owner.clone();
        let mut draft = CallDraft::plain(owner.agent, owner.session, action);
        draft.project.clone_from(&self.client.project);
        draft.args = identity.to_arguments(name);
        draft.target = vec![name.to_owned()];
        draft.parking = Parking::Allowed;
        Ok(draft)
    }

    /// The pin is the effect of the call, so it is written before the call is complete.
    async fn pin_server(
        &self,
        name: &str,
        identity: &ServerIdentity,
        permit: Permit,
    ) -> Result<ApprovalOutcome, String> {
        let pinned = match identity.unpinned {
            None => self.pins.pin_server(name, identity).await,
            // A yes is for one start.
            Some(_) => Ok(()),
        };
        let effect = if pinned.is_ok() { Effect::Done } else { Effect::Failed };
        let completed = self.host.complete(permit.complete(effect)).await;
        pinned?;
        completed.map(|_| ApprovalOutcome::Given).map_err(|error| undecided(&error))
    }
}

async fn identify(spec: &ServerSpec) -> Result<ServerIdentity, String> {
    let identified = match spec.launch.clone() {
        Launch::Process(process) => {
            tokio::task::spawn_blocking(move || ServerIdentity::of_process(&process)).await
        }
        Launch::AtClient(server) => Ok(Ok(ServerIdentity::of_client_server(&server))),
        Launch::Http(http) => Ok(Ok(ServerIdentity::of_url(&http.url))),
    };
    let identified = identified.unwrap_or_else(|_| Err("its program cannot be read".to_owned()));
    identified.map_err(|why| format!("`{}`: {why}", spec.name))
}

fn undecided(error: &EngineError) -> String {
    format!("Countersign cannot decide now: {error}")
}
