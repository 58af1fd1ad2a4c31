//! The answer to a request of a client.

use super::era::{Era, modernise_result};
use super::json_text::set_member;
use super::message::{Message, error_object, error_response, response};

/// The answer to a request.
pub(crate) enum RpcResponse {
    Result(String),
    /// An error object.
    Error(String),
    /// A response of a server, as it came.
    Forward(Box<Message>),
}

impl RpcResponse {
    /// A result without members.
    pub(crate) fn empty() -> Self {
        Self::Result("{}".to_owned())
    }

    /// A server's questions, with our handle in place of the server's own state.
    pub(crate) fn input_required(questions: &str, handle: &str) -> Self {
        Self::Result(set_member(questions, "requestState", handle))
    }

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
