//! What a client is answered, request by request.
//!
//! A session forwards what it need not know. It answers what concerns the connection itself, hands
//! tool calls to `call` and to our own tools, and translates where client and server speak different
//! eras. Streams and HTTP are not here.

mod client_session;
mod forward;
mod hello;
mod listen;
mod lists;
mod requests;
mod tasks;

pub(crate) use client_session::{ClientSession, Sessions};
