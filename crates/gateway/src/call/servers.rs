//! The servers of one client: found by name, started when they are needed.

use super::approval::{ApprovalOutcome, ServerApproval};
use super::paused_requests::{CallInServer, Continuation};
use super::shared::SharedCalls;
use crate::client::{ClientConnection, ClientRequest};
use crate::client_identity::ClientIdentity;
use crate::limits;
use crate::spec::{Launch, ServerOrigin, ServerSpec};
use crate::upstream::{ExchangeEnd, Resume, ServerSlot, Upstream, run_exchange, start_server};
use crate::wire::{ClientHello, Members, find, remove_member, set_member};
use countersign_core::model::ids::CallId;
use std::path::PathBuf;
use std::sync::Arc;

/// Which names the client sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolNaming {
    /// One server, under its own names.
    Plain,
    /// Several servers: each name starts with that of its server.
    Prefixed,
}

pub(crate) struct Servers {
    naming: ToolNaming,
    slots: Vec<Arc<ServerSlot>>,
    client: Arc<ClientConnection>,
    approval: ServerApproval,
    own_folders: Vec<PathBuf>,
}

impl Servers {
    pub(crate) fn new(
        shared: &SharedCalls,
        identity: ClientIdentity,
        client: Arc<ClientConnection>,
        naming: ToolNaming,
        specs: Vec<ServerSpec>,
    ) -> Self {
        let (host, pins) = (Arc::clone(&shared.host), Arc::clone(&shared.pins));
        let approval = ServerApproval { host, pins, client: identity };
        let slots = specs.into_iter().map(|spec| Arc::new(ServerSlot::new(spec))).collect();
        Self { naming, slots, client, approval, own_folders: shared.settings.own_folders.clone() }
    }

    pub(crate) fn all(&self) -> &[Arc<ServerSlot>] {
        &self.slots
    }

    /// The only server, if the client sees its own names.
    pub(crate) fn single(&self) -> Option<&Arc<ServerSlot>> {
        self.slots.first().filter(|_| self.naming == ToolNaming::Plain)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<ServerSlot>> {
        self.slots.iter().find(|slot| slot.spec.name.as_str() == name)
    }

    /// The server and the name there, from a name that the client sees.
    pub(crate) fn find_by_prefix(&self, name: &str) -> Option<(Arc<ServerSlot>, String)> {
        let (server, name) = name.split_once("__")?;
        Some((Arc::clone(self.find(server)?), name.to_owned()))
    }

    /// The server of a tool, and the tool's name there.
    pub(crate) fn find_tool_server(&self, name: &str) -> Option<(Arc<ServerSlot>, String)> {
        match self.naming {
            ToolNaming::Plain => Some((Arc::clone(self.slots.first()?), name.to_owned())),
            ToolNaming::Prefixed => self.find_by_prefix(name),
        }
    }

    /// The name under which the client sees a tool of ours. A server's tool keeps its name.
    pub(crate) fn own_tool_name(&self, name: &str) -> String {
        let is_taken = self.single().is_some_and(|slot| slot.find_tool(name).is_some());
        if is_taken { format!("countersign_{name}") } else { name.to_owned() }
    }

    /// The connections, also those that are just being opened.
    pub(crate) fn connections(&self) -> impl Iterator<Item = Arc<Upstream>> {
        self.slots.iter().filter_map(|slot| slot.current())
    }

    /// Whether a server here believes that its client has other capabilities than these.
    pub(crate) fn expects_other_capabilities(&self, capabilities: &str) -> bool {
        self.connections().any(|upstream| upstream.expects_other_capabilities(capabilities))
    }

    /// Ends the client's own use of its servers. Calls that are still carried out keep theirs.
    pub(crate) fn disconnect(&self) {
        for slot in &self.slots {
            slot.set_current(None);
            if let Launch::AtClient(server) = &slot.spec.launch {
                server.port.close();
            }
        }
    }

    /// The connection to a server. Starts it if it is not running and may be started. An error says
    /// why the server cannot be used now, in words for the client.
    pub(crate) async fn connect(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        hello: &ClientHello,
    ) -> Result<Arc<Upstream>, String> {
        if let Some(upstream) = slot.running() {
            return Ok(upstream);
        }
        let mut start = slot.start.lock().await;
        if let Some(upstream) = slot.running() {
            return Ok(upstream);
        }
        start.check_backoff()?;
        if slot.spec.origin == ServerOrigin::Client
            && let ApprovalOutcome::Waiting(call, why) = self.approval.check(&slot.spec).await?
        {
            if !std::mem::replace(&mut start.is_watched, true) {
                self.start_once_approved(slot, call, hello.clone());
            }
            return Err(why);
        }
        let started = start_server(slot, &self.own_folders, &self.client, hello).await;
        match &started {
            Ok(_) => start.note_success(),
            Err(_) => start.note_failure(),
        }
        started.map_err(|why| format!("`{}`: {why}", slot.spec.name))
    }

    /// Whether the server may start without a question.
    pub(crate) async fn is_approved(&self, slot: &ServerSlot) -> bool {
        slot.spec.origin != ServerOrigin::Client || self.approval.is_given(&slot.spec).await
    }

    /// Starts the server as soon as the operator has said yes, and tells the client that there are
    /// tools now.
    fn start_once_approved(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        call: CallId,
        hello: ClientHello,
    ) {
        let (servers, slot) = (Arc::downgrade(self), Arc::clone(slot));
        let host = Arc::clone(&self.approval.host);
        let owner = self.approval.client.owner.clone();
        tokio::spawn(async move {
            let _answered = host.wait_for_answer(call, &owner, limits::SERVER_QUESTION).await;
            let Some(servers) = servers.upgrade() else { return };
            slot.start.lock().await.is_watched = false;
            if servers.connect(&slot, &hello).await.is_ok() {
                servers.client.announce_lists().await;
            }
        });
    }

    /// Goes on with a paused request, with the answers that its client sent. Returns the call that it
    /// carries out, too.
    pub(crate) async fn resume(
        self: &Arc<Self>,
        request: &ClientRequest,
        slot: &Arc<ServerSlot>,
        paused: Continuation,
    ) -> (Option<CallInServer>, ExchangeEnd) {
        let params = request.message.params();
        let responses = find(params, &["inputResponses"]).unwrap_or("{}");
        let end = match paused.resume {
            Resume::Answer { open, question } => {
                let answer = Members::read(responses).and_then(|r| r.get("input"));
                open.answer(request, &question, answer).await.wait(request).await
            }
            Resume::Resend { state } => {
                let decided = paused.call.as_ref().map_or(params, |call| &call.params);
                let params = set_member(decided, "inputResponses", responses);
                let params = match state {
                    Some(state) => set_member(&params, "requestState", &state),
                    None => remove_member(&params, "requestState"),
                };
                match self.connect(slot, &request.hello).await {
                    Ok(upstream) => run_exchange(request, slot, &upstream, params).await,
                    Err(why) => ExchangeEnd::Unknown(why),
                }
            }
        };
        (paused.call, end)
    }
}
