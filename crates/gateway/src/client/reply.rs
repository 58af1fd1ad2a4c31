//! The way back to the client.

use tokio::sync::mpsc;

/// Takes messages for the client: of the whole connection on stdio, of one request on HTTP.
#[derive(Clone)]
pub(crate) struct ReplySender(mpsc::Sender<String>);

impl ReplySender {
    pub(crate) fn new(sender: mpsc::Sender<String>) -> Self {
        Self(sender)
    }

    /// For messages that nobody reads.
    pub(crate) fn to_nobody() -> Self {
        Self(mpsc::channel(1).0)
    }

    /// A client that is gone gets nothing.
    pub(crate) async fn send(&self, text: String) {
        let _gone = self.0.send(text).await;
    }

    /// Returns when the client is gone.
    pub(super) async fn wait_for_close(&self) {
        self.0.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
