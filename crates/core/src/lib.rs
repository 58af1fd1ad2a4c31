//! The core of Countersign: words, the decision, and the ledger's bytes.
//!
//! Pure: no clock, no IO, no randomness, no async. What a decision may know comes in as `Facts`;
//! what should happen goes out as `Change`s. Files, databases and people live in other rooms.

// A new word must be thought about wherever words are told apart.
#![deny(clippy::wildcard_enum_match_arm)]

// Words
pub(crate) mod canonical;
pub mod category;
pub mod command;
pub mod digest;
pub(crate) mod hex;
pub mod ids;
pub mod json;
pub mod limits;
pub mod names;
pub mod redact;
pub(crate) mod schema;
pub mod time;
pub mod words;

// Things
pub mod call;
pub mod decision;
pub mod delivery;
pub mod giving;
pub mod grant;
pub mod grants;
pub mod graph;
pub mod node;
pub mod notice;
pub mod request;
pub mod requests;
pub mod ruled;
pub mod run;

// What is remembered
pub mod about;
pub mod change;
pub mod facts;
pub mod ledger;
pub mod sealed;
pub mod state;

// What is decided
pub mod ahead;
pub mod complete;
pub mod conversation;
pub mod decide;
pub mod explain;
pub mod import;
pub mod plan;
pub mod proposal;
pub mod record;
pub mod recorded;
pub mod repeat;
pub mod retry;
pub mod revoke;
pub mod settle;
pub mod start;
pub mod sweep;

pub use ahead::ask_ahead;
pub use complete::complete;
pub use decide::decide;
pub use retry::retry;
pub use revoke::revoke;
pub use settle::settle;
pub use start::start;
pub use sweep::sweep;
