//! What the calls of all clients share.

use super::client_timeouts::answer_wait;
use super::kept_responses::KeptResponses;
use super::live_tasks::LiveTasks;
use super::paused_requests::{ClientQuestion, Continuation, PausedRequests};
use super::recent_calls::RecentCalls;
use crate::limits;
use crate::pins::Pins;
use crate::settings::GatewaySettings;
use countersign_core::model::ids::CallId;
use countersign_host::{Host, Seal};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct SharedCalls {
    pub(crate) host: Arc<Host>,
    pub(crate) settings: GatewaySettings,
    pub(crate) pins: Arc<Pins>,
    pub(crate) kept: KeptResponses,
    /// The params of parked calls. The record has their arguments too, but with secrets replaced: as
    /// long as the daemon runs, a call is carried out exactly as it was sent.
    pub(super) parked: RecentCalls<Arc<str>>,
    pub(crate) seal: Arc<Seal>,
    pub(crate) continuations: PausedRequests<Continuation>,
    /// Questions that modern clients got as a result and have not answered yet.
    pub(super) dialogs: PausedRequests<ClientQuestion>,
    pub(crate) tasks: LiveTasks,
}

impl SharedCalls {
    /// Reads the pins. A file of pins that cannot be read is an error: every server and tool would
    /// count as new.
    pub(crate) fn open(host: Arc<Host>, settings: GatewaySettings) -> Result<Self, String> {
        let pins = Arc::new(Pins::load(&settings.data)?);
        let seal = host.seal()?;
        Ok(Self {
            kept: KeptResponses::new(Arc::clone(&host)),
            host,
            settings,
            pins,
            parked: RecentCalls::new(limits::PARKED_CALLS, limits::PARKED_BYTES),
            seal,
            continuations: PausedRequests::default(),
            dialogs: PausedRequests::default(),
            tasks: LiveTasks::default(),
        })
    }

    /// How long a request of this client waits for the operator's answer.
    pub(crate) fn answer_wait(&self, client: &str) -> Duration {
        self.settings.answer_wait.unwrap_or_else(|| answer_wait(client))
    }

    /// Remembers how a call was sent that waits for the operator.
    pub(crate) fn park(&self, call: CallId, params: &str) {
        if self.parked.find(call).is_none() {
            self.parked.keep(call, Arc::from(params), params.len());
        }
    }
}
