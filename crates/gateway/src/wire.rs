//! The wire layer: JSON-RPC messages as text.
//!
//! A message is checked once and then kept as the bytes that arrived. The gateway reads the few
//! members that it needs and replaces single values in place; everything else is forwarded byte for
//! byte. There is no typed model, because a model drops what it does not know.
//!
//! See docs/decisions/0077-mcp-messages-are-text.md.

mod argument_headers;
mod era;
mod headers;
mod json_text;
mod lines;
mod message;
mod rpc_response;

pub(crate) use argument_headers::{ArgumentHeaders, RequestHeaders};
pub(crate) use era::{
    ClientHello, Era, LEGACY, META_CAPABILITIES, META_LOG_LEVEL, META_SUBSCRIPTION, META_VERSION,
    MODERN, ServerHello, TASKS, discover_result, is_input_required, is_removed, modernise_result,
    remove_envelope, remove_tasks,
};
pub(crate) use headers::{check_headers, encode_header, named_object};
pub(crate) use json_text::{
    Members, decode_string, encode_string, find, read_items, remove_member, replace_range, set_at,
    set_member,
};
pub(crate) use lines::{Line, read_line};
pub(crate) use message::{
    Message, MessageKind, error_object, error_response, find_ids, notification, request, response,
};
pub(crate) use rpc_response::RpcResponse;
