//! A request of a client, with what is known around it.

use super::connection::ClientConnection;
use super::in_flight::Cancel;
use super::reply::ReplySender;
use crate::wire::{ClientHello, Message, RequestHeaders, request};
use std::sync::Arc;

/// A request as it arrived.
pub(crate) struct IncomingRequest {
    pub(crate) message: Message,
    pub(crate) reply: ReplySender,
    pub(crate) cancel: Cancel,
    pub(crate) headers: RequestHeaders,
}

/// A request whose client has introduced itself.
pub(crate) struct ClientRequest {
    pub(crate) client: Arc<ClientConnection>,
    pub(crate) hello: ClientHello,
    pub(crate) message: Message,
    pub(crate) reply: ReplySender,
    pub(crate) cancel: Cancel,
    pub(crate) headers: RequestHeaders,
}

impl ClientRequest {
    /// A call that is made in the name of a client that does not wait for it.
    pub(crate) fn in_background(
        client: &Arc<ClientConnection>,
        hello: &ClientHello,
        params: &str,
        cancel: Cancel,
    ) -> Option<Self> {
        let message = Message::parse(request("0", "tools/call", params)).ok()?;
        let (client, hello) = (Arc::clone(client), hello.clone());
        let (reply, headers) = (ReplySender::to_nobody(), RequestHeaders::NotUsed);
        Some(Self { client, hello, message, reply, cancel, headers })
    }

    /// Waits until the client cancels the request or is gone.
    pub(crate) async fn wait_for_end(&self) {
        tokio::select! {
            () = self.cancel.wait() => {}
            () = self.reply.wait_for_close() => {}
        }
    }
}
