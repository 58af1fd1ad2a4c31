//! The wire layer: JSON-RPC messages as text.
//!
//! A message is checked once and then kept as the bytes that arrived. The gateway reads the few
//! members that it needs and replaces single values in place; everything else is forwarded byte for
//! byte. There is no typed model, because a model drops what it does not know.

pub(crate) mod json_text;
pub(crate) mod lines;
pub(crate) mod message;

pub(crate) use json_text::Members;
pub(crate) use message::{Kind, Message};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("not acceptable as JSON: {0}")]
    Json(String),
    #[error("not a JSON-RPC 2.0 message: {0}")]
    Message(&'static str),
}
