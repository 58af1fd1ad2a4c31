//! Where the answer to a request goes, and what it is.

use super::in_flight::Cancel;
use crate::call::mirrored::MirroredHeaders;
use crate::era::{ClientHello, Era, modernise_result};
use crate::wire::Message;
use crate::wire::message::{error_object, error_response, response};
use tokio::sync::mpsc;

/// The way back to the client: of the whole connection on stdio, of one request on HTTP.
#[derive(Clone)]
pub(crate) struct Reply(mpsc::Sender<String>);

impl Reply {
    pub(crate) fn new(sender: mpsc::Sender<String>) -> Self {
        Self(sender)
    }

    /// A client that is gone gets nothing.
    pub(crate) async fn send(&self, text: String) {
        let _gone = self.0.send(text).await;
    }

    /// Returns when the client is gone.
    async fn wait_for_close(&self) {
        self.0.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// A request as it arrived.
pub(crate) struct Incoming {
    pub(crate) message: Message,
    pub(crate) reply: Reply,
    pub(crate) cancel: Cancel,
    pub(crate) headers: MirroredHeaders,
}

/// A request, and what is known around it.
pub(crate) struct Context {
    pub(crate) message: Message,
    pub(crate) reply: Reply,
    pub(crate) cancel: Cancel,
    pub(crate) hello: ClientHello,
    pub(crate) headers: MirroredHeaders,
}

impl Context {
    /// Waits until the client cancels the request or is gone.
    pub(crate) async fn wait_for_end(&self) {
        tokio::select! {
            () = self.cancel.wait() => {}
            () = self.reply.wait_for_close() => {}
        }
    }
}

/// The answer to a request.
pub(crate) enum RpcResponse {
    Result(String),
    /// An error object.
    Error(String),
    /// A response of a server, as it came.
    Forward(Box<Message>),
}

impl RpcResponse {
    pub(crate) fn error(code: i64, message: &str) -> Self {
        Self::Error(error_object(code, message))
    }

    pub(crate) fn invalid(message: &str) -> Self {
        Self::error(-32602, message)
    }

    /// A handle that was never given out, was used already, or belongs to another request.
    pub(crate) fn unknown_state() -> Self {
        Self::invalid("nothing waits for input with this `requestState`; make the request again")
    }

    pub(crate) fn no_method(method: &str) -> Self {
        Self::error(-32601, &format!("the method `{method}` is not known here"))
    }

    /// The text of the response. A result for a modern client has what its era demands.
    pub(crate) fn into_text(self, id: &str, method: &str, era: Option<Era>) -> String {
        let is_modern = era == Some(Era::Modern);
        match self {
            Self::Result(result) if is_modern => response(id, &modernise_result(method, &result)),
            Self::Result(result) => response(id, &result),
            Self::Error(error) => error_response(id, &error),
            Self::Forward(message) => match message.result() {
                Some(result) if is_modern => {
                    message.with_id_and_result(id, &modernise_result(method, result))
                }
                _ => message.with_id(id),
            },
        }
    }
}
