//! A server of one client: its connection, if it has one, and its known tools.

use super::connection::Upstream;
use super::lists::read_pages;
use super::tools::{ListCoverage, ListPage, ListedTool, ToolTable};
use crate::limits;
use crate::locks::lock;
use crate::spec::{Launch, ServerSpec};
use crate::wire::{ArgumentHeaders, ClientHello, decode_string, find};
use std::sync::{Arc, Mutex};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

pub(crate) struct ServerSlot {
    pub(crate) spec: ServerSpec,
    /// Held while the server is started.
    pub(crate) start: AsyncMutex<StartState>,
    current: Mutex<Option<Arc<Upstream>>>,
    tools: Mutex<ToolTable>,
}

#[derive(Default)]
pub(crate) struct StartState {
    failures: u32,
    not_before: Option<Instant>,
    /// Whether a task waits for the answer about this server.
    pub(crate) is_watched: bool,
}

impl StartState {
    /// Refuses a start too soon after one that failed.
    #[allow(clippy::disallowed_methods, reason = "when a process is started again decides no call")]
    pub(crate) fn check_backoff(&self) -> Result<(), String> {
        let wait = self.not_before.map(|at| at.saturating_duration_since(Instant::now()));
        match wait.filter(|wait| !wait.is_zero()) {
            Some(wait) if self.failures > 0 => {
                let seconds = wait.as_secs().saturating_add(1);
                Err(format!("the server failed; it is started again in {seconds} s"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn note_success(&mut self) {
        self.failures = 0;
    }

    #[allow(clippy::disallowed_methods, reason = "when a process is started again decides no call")]
    pub(crate) fn note_failure(&mut self) {
        let factor = 2_u32.saturating_pow(self.failures.min(16));
        let pause = limits::RESTART_BACKOFF.saturating_mul(factor).min(limits::MAX_RESTART_BACKOFF);
        self.not_before = Some(Instant::now() + pause);
        self.failures = self.failures.saturating_add(1);
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
            Launch::AtClient(server) => server.folder.to_str().map(str::to_owned),
            Launch::Http(_) => None,
        }
    }

    /// The connection, even one that is just being opened.
    pub(crate) fn current(&self) -> Option<Arc<Upstream>> {
        lock(&self.current).clone()
    }

    pub(crate) fn set_current(&self, upstream: Option<Arc<Upstream>>) {
        *lock(&self.current) = upstream;
    }

    /// The connection, if it can be used.
    pub(crate) fn running(&self) -> Option<Arc<Upstream>> {
        self.current().filter(|upstream| upstream.is_open() && upstream.is_greeted())
    }

    pub(crate) fn find_tool(&self, name: &str) -> Option<ListedTool> {
        lock(&self.tools).find(name).cloned()
    }

    /// Notes a page of the list of tools, and returns the definitions that may be shown.
    pub(crate) fn note_page<'t>(&self, page: &'t str, page_kind: ListPage) -> Vec<&'t str> {
        let is_usable = |tool: &ListedTool| match self.spec.launch {
            Launch::Process(_) | Launch::AtClient(_) => true,
            Launch::Http(_) => tool.argument_headers != ArgumentHeaders::Invalid,
        };
        lock(&self.tools).note_page(page, page_kind, is_usable)
    }

    /// The headers that a request to this server needs for the arguments of its tool.
    pub(crate) fn build_argument_headers(
        &self,
        method: &str,
        params: &str,
    ) -> Vec<(String, String)> {
        if method != "tools/call" || !matches!(self.spec.launch, Launch::Http(_)) {
            return Vec::new();
        }
        let name = find(params, &["name"]).and_then(decode_string);
        let tool = name.and_then(|name| self.find_tool(&name));
        let arguments = find(params, &["arguments"]).unwrap_or("{}");
        tool.map(|tool| tool.argument_headers.build(arguments)).unwrap_or_default()
    }

    /// The list that is known is out of date.
    pub(crate) fn forget_tools(&self) {
        *lock(&self.tools) = ToolTable::default();
    }

    /// Reads the whole list of tools, if it is not known.
    pub(crate) async fn ensure_tools(&self, upstream: &Upstream, client: &ClientHello) {
        if lock(&self.tools).coverage == ListCoverage::Complete {
            return;
        }
        for (at, page) in read_pages(upstream, client, "tools/list").await.iter().enumerate() {
            let page_kind = if at == 0 { ListPage::First } else { ListPage::Later };
            self.note_page(page, page_kind);
        }
    }
}
