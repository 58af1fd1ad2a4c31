//! The servers: a connection to one, the slot that starts it when it is needed, what it says about its
//! tools, and one request at it.
//!
//! Nothing here decides whether a server may be started or a request sent.

mod asker;
mod confine;
mod connection;
mod events;
mod exchange;
mod health;
mod http;
mod http_connect;
mod inbox;
mod lists;
mod process;
mod slot;
mod sse;
mod start;
mod stdio;
mod tools;

pub(crate) use connection::{Upstream, reserve_id};
pub(crate) use exchange::{ExchangeEnd, Resume, run_exchange};
pub(crate) use health::HealthCheck;
pub(crate) use lists::{read_pages, subscribe_resource};
pub(crate) use slot::ServerSlot;
pub(crate) use start::start_server;
pub(crate) use tools::{ListPage, ListedTool, OutputSchema, PINNED_MEMBERS, is_tool_name};
