//! A connection to one server: requests out, responses and other messages in.
//!
//! The gateway numbers its requests itself, so that several clients and its own requests share a
//! connection. A response that fits no open request is dropped.

use super::http::HttpChannel;
use super::inbox::{EventHandler, Inbox, SendError, ServerAnswer};
use super::process::start_process;
use super::stdio::StdioChannel;
use crate::spec::Launch;
use crate::wire::{Era, Message, ServerHello, error_object, error_response, notification, request};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

pub(crate) struct Upstream {
    channel: ServerChannel,
    inbox: Arc<Inbox>,
    pub(super) hello: OnceLock<ServerHello>,
    /// The capabilities of the client that a legacy server has learned with `initialize`.
    pub(super) introduced: OnceLock<String>,
    /// Whether a legacy server was told that its client is ready.
    is_initialized: AtomicBool,
}

enum ServerChannel {
    Stdio(StdioChannel),
    Http(HttpChannel),
}

/// A number for a request, unique over all servers. Progress is reported under it.
pub(crate) fn reserve_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A request that a server has received, until its response.
pub(crate) struct Exchange {
    pub(crate) id: u64,
    response: oneshot::Receiver<ServerAnswer>,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoResponse {
    /// The connection ended before it.
    ConnectionLost,
    /// It came, and cannot be read.
    Unreadable(String),
}

impl Upstream {
    /// Starts or reaches a server. It does not introduce the client yet.
    pub(crate) async fn open(
        launch: &Launch,
        own_folders: &[PathBuf],
        handler: EventHandler,
    ) -> Result<Self, String> {
        let inbox = Arc::new(Inbox::new(handler));
        let channel = match launch {
            Launch::Process(spec) => ServerChannel::Stdio(
                start_process(spec.clone(), own_folders.to_vec(), Arc::clone(&inbox)).await?,
            ),
            Launch::AtClient(spec) => ServerChannel::Stdio(
                StdioChannel::start_at_client(&spec.port, Arc::clone(&inbox)).await?,
            ),
            Launch::Http(spec) => ServerChannel::Http(HttpChannel::new(spec, Arc::clone(&inbox))?),
        };
        Ok(Self {
            channel,
            inbox,
            hello: OnceLock::new(),
            introduced: OnceLock::new(),
            is_initialized: AtomicBool::new(false),
        })
    }

    /// How the server introduced itself. A server that did not counts as a legacy one.
    pub(crate) fn hello(&self) -> &ServerHello {
        static UNKNOWN: ServerHello = ServerHello { era: Era::Legacy, result: String::new() };
        self.hello.get().unwrap_or(&UNKNOWN)
    }

    /// Whether this server believes that its client has other capabilities than these.
    pub(crate) fn expects_other_capabilities(&self, capabilities: &str) -> bool {
        self.introduced.get().is_some_and(|introduced| introduced != capabilities)
    }

    pub(crate) fn is_greeted(&self) -> bool {
        self.hello.get().is_some()
    }

    pub(crate) fn era(&self) -> Era {
        self.hello().era
    }

    pub(crate) fn is_open(&self) -> bool {
        self.inbox.is_open()
    }

    pub(crate) async fn send_request(
        &self,
        id: u64,
        method: &str,
        params: &str,
    ) -> Result<Exchange, SendError> {
        self.send_text(id, request(&id.to_string(), method, params), &[]).await
    }

    /// Sends a request whose text already has this number. Only HTTP has headers.
    pub(crate) async fn send_text(
        &self,
        id: u64,
        text: String,
        headers: &[(String, String)],
    ) -> Result<Exchange, SendError> {
        let Some(response) = self.inbox.expect_response(id) else {
            return Err(SendError::NotSent(self.describe_end()));
        };
        self.write(text, headers).await?;
        Ok(Exchange { id, response })
    }

    /// A request of our own, with a limit.
    #[allow(clippy::disallowed_methods, reason = "how long a server may take decides no call")]
    pub(crate) async fn ask(
        &self,
        method: &str,
        params: &str,
        limit: Duration,
    ) -> Result<Message, String> {
        let id = reserve_id();
        let exchange = self.send_request(id, method, params).await.map_err(SendError::into_text)?;
        match timeout(limit, exchange.wait()).await {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(none)) => Err(self.explain_no_response(none)),
            Err(_) => {
                self.inbox.forget(id);
                Err(format!("`{method}` was not answered within {} s", limit.as_secs()))
            }
        }
    }

    pub(crate) async fn send_notification(&self, method: &str, params: &str) {
        let _gone = self.write(notification(method, params), &[]).await;
    }

    /// Forwards a message that is not a request.
    pub(crate) async fn forward(&self, text: String) {
        let _gone = self.write(text, &[]).await;
    }

    pub(crate) async fn answer_error(&self, id: &str, code: i64, message: &str) {
        let error = error_object(code, message);
        self.forward(error_response(id, &error)).await;
    }

    pub(crate) async fn cancel(&self, id: u64) {
        let params = format!("{{\"requestId\":{id},\"reason\":\"the client cancelled it\"}}");
        self.send_notification("notifications/cancelled", &params).await;
    }

    /// Tells a legacy server once that its client is ready.
    pub(crate) async fn ensure_initialized(&self) {
        if self.era() == Era::Legacy && !self.is_initialized.swap(true, Ordering::SeqCst) {
            self.send_notification("notifications/initialized", "{}").await;
            if let ServerChannel::Http(http) = &self.channel {
                http.open_stream();
            }
        }
    }

    pub(super) fn explain_no_response(&self, none: NoResponse) -> String {
        match none {
            NoResponse::ConnectionLost => self.describe_end(),
            NoResponse::Unreadable(why) => why,
        }
    }

    /// Why the connection ended, as far as it is known.
    pub(crate) fn describe_end(&self) -> String {
        match &self.channel {
            ServerChannel::Stdio(stdio) => stdio.describe_end(),
            ServerChannel::Http(http) => http.describe_end(),
        }
    }

    async fn write(&self, text: String, headers: &[(String, String)]) -> Result<(), SendError> {
        match &self.channel {
            ServerChannel::Stdio(stdio) => stdio.write(text).await,
            ServerChannel::Http(http) => http.write(text, headers).await,
        }
    }
}

impl Exchange {
    pub(crate) async fn wait(mut self) -> Result<Message, NoResponse> {
        self.wait_more().await
    }

    /// The same, for an exchange that is waited for in turns.
    pub(crate) async fn wait_more(&mut self) -> Result<Message, NoResponse> {
        let answer = (&mut self.response).await.map_err(|_| NoResponse::ConnectionLost)?;
        answer.map_err(NoResponse::Unreadable)
    }
}
