//! A server behind a relay: started on demand, started again after it failed.

use super::pages::read_pages;
use super::subscriptions::listen_to_lists;
use super::{Relay, lock};
use crate::call::mirrored::MirroredArguments;
use crate::call::tools::{Coverage, IsFirst, ListedTool, ToolTable};
use crate::era::ClientHello;
use crate::limits;
use crate::spec::{Launch, Origin, ServerSpec};
use crate::upstream::{EventHandler, Upstream, greet};
use crate::wire::json_text::{decode_string, find};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

pub(crate) struct ServerSlot {
    pub(crate) spec: ServerSpec,
    /// Held while the server is started.
    start: AsyncMutex<StartState>,
    current: Mutex<Option<Arc<Upstream>>>,
    pub(crate) tools: Mutex<ToolTable>,
}

#[derive(Default)]
pub(super) struct StartState {
    failures: u32,
    not_before: Option<Instant>,
    /// Whether a task waits for the answer about this server.
    pub(super) is_watched: bool,
}

/// Why a server cannot be used now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unavailable {
    /// The operator has not answered yet.
    Waiting(String),
    Refused(String),
    Down(String),
}

impl Unavailable {
    /// The cause in words.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Waiting(why) | Self::Refused(why) | Self::Down(why) => why,
        }
    }
}

impl ServerSlot {
    pub(crate) fn new(spec: ServerSpec) -> Self {
        let (start, current, tools) = (AsyncMutex::default(), Mutex::default(), Mutex::default());
        Self { spec, start, current, tools }
    }

    /// The folder that the server runs in.
    pub(crate) fn folder(&self) -> Option<String> {
        match &self.spec.launch {
            Launch::Process(process) => process.folder.as_ref()?.to_str().map(str::to_owned),
            Launch::Http(_) => None,
        }
    }

    /// The connection, even one that is just being opened.
    pub(crate) fn current(&self) -> Option<Arc<Upstream>> {
        lock(&self.current).clone()
    }

    pub(super) async fn stop_watching(&self) {
        self.start.lock().await.is_watched = false;
    }

    fn running(&self) -> Option<Arc<Upstream>> {
        self.current().filter(|upstream| upstream.is_open() && upstream.is_greeted())
    }

    pub(crate) fn find_tool(&self, name: &str) -> Option<ListedTool> {
        lock(&self.tools).find(name).cloned()
    }

    /// Notes a page of the list of tools, and returns the definitions that may be shown.
    pub(crate) fn note_page<'t>(&self, page: &'t str, is_first: IsFirst) -> Vec<&'t str> {
        let is_usable = |tool: &ListedTool| match self.spec.launch {
            Launch::Process(_) => true,
            Launch::Http(_) => tool.mirrored != MirroredArguments::Invalid,
        };
        lock(&self.tools).note_page(page, is_first, is_usable)
    }

    /// The headers that a request to this server needs for the arguments of its tool.
    pub(crate) fn mirror_arguments(&self, method: &str, params: &str) -> Vec<(String, String)> {
        if method != "tools/call" || matches!(self.spec.launch, Launch::Process(_)) {
            return Vec::new();
        }
        let name = find(params, &["name"]).and_then(decode_string);
        let tool = name.and_then(|name| self.find_tool(&name));
        let arguments = find(params, &["arguments"]).unwrap_or("{}");
        tool.map(|tool| tool.mirrored.build(arguments)).unwrap_or_default()
    }

    /// The list that is known is out of date.
    pub(crate) fn forget_tools(&self) {
        *lock(&self.tools) = ToolTable::default();
    }

    /// Reads the whole list of tools, if it is not known.
    pub(crate) async fn ensure_tools(&self, upstream: &Upstream, client: &ClientHello) {
        if lock(&self.tools).coverage == Coverage::Complete {
            return;
        }
        for (at, page) in read_pages(upstream, client, "tools/list").await.iter().enumerate() {
            let is_first = if at == 0 { IsFirst::Yes } else { IsFirst::No };
            self.note_page(page, is_first);
        }
    }
}

impl Relay {
    /// The connection to a server. Starts it if it is not running and may be started.
    pub(crate) async fn connect(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        client: &ClientHello,
    ) -> Result<Arc<Upstream>, Unavailable> {
        if let Some(upstream) = slot.running() {
            return Ok(upstream);
        }
        let mut start = slot.start.lock().await;
        if let Some(upstream) = slot.running() {
            return Ok(upstream);
        }
        check_backoff(&start)?;
        if slot.spec.origin == Origin::Client {
            self.check_approved(slot, &mut start, client).await?;
        }
        let opened = self.open_upstream(slot, client).await;
        match &opened {
            Ok(_) => (start.failures, start.not_before) = (0, Some(next_start(0))),
            Err(_) => {
                start.not_before = Some(next_start(start.failures));
                start.failures = start.failures.saturating_add(1);
            }
        }
        opened.map_err(|why| Unavailable::Down(format!("`{}`: {why}", slot.spec.name)))
    }

    async fn open_upstream(
        self: &Arc<Self>,
        slot: &Arc<ServerSlot>,
        client: &ClientHello,
    ) -> Result<Arc<Upstream>, String> {
        slot.forget_tools();
        let own_folders = &self.gateway.settings.own_folders;
        let handler = self.event_handler(slot);
        let upstream = Arc::new(Upstream::open(&slot.spec.launch, own_folders, handler).await?);
        *lock(&slot.current) = Some(Arc::clone(&upstream));
        if let Err(why) = greet(&upstream, client).await {
            *lock(&slot.current) = None;
            return Err(why);
        }
        listen_to_lists(&upstream, client).await;
        Ok(upstream)
    }

    /// The server lives no longer than the relay, so the handler keeps neither alive.
    fn event_handler(self: &Arc<Self>, slot: &Arc<ServerSlot>) -> EventHandler {
        let (relay, slot) = (Arc::downgrade(self), Arc::downgrade(slot));
        Box::new(move |event| {
            let (relay, slot) = (relay.upgrade(), slot.upgrade());
            Box::pin(async move {
                if let (Some(relay), Some(slot)) = (relay, slot) {
                    relay.handle_event(&slot, event).await;
                }
            })
        })
    }

    /// Whether a server here believes that its client has other capabilities than these.
    pub(crate) fn expects_other(&self, capabilities: &str) -> bool {
        let mut upstreams = self.slots.iter().filter_map(|slot| slot.current());
        upstreams.any(|upstream| upstream.expects_other(capabilities))
    }

    /// Ends the relay's own use of its servers. Calls that are still carried out keep theirs.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        for slot in &self.slots {
            *lock(&slot.current) = None;
        }
        self.set_outlet(None);
        self.asked.close();
    }
}

#[allow(clippy::disallowed_methods, reason = "when a process is started again decides no call")]
fn check_backoff(start: &StartState) -> Result<(), Unavailable> {
    let wait = start.not_before.map(|at| at.saturating_duration_since(Instant::now()));
    match wait.filter(|wait| !wait.is_zero()) {
        Some(wait) if start.failures > 0 => {
            let seconds = wait.as_secs().saturating_add(1);
            Err(Unavailable::Down(format!("the server failed; it is started again in {seconds} s")))
        }
        _ => Ok(()),
    }
}

#[allow(clippy::disallowed_methods, reason = "when a process is started again decides no call")]
fn next_start(failures: u32) -> Instant {
    let factor = 2_u32.saturating_pow(failures.min(16));
    let pause: Duration = limits::RESTART_BACKOFF.saturating_mul(factor);
    Instant::now() + pause.min(limits::MAX_RESTART_BACKOFF)
}
