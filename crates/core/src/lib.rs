//! The core of Countersign: words, the decision, and the ledger's bytes.
//!
//! Pure: no clock, no IO, no randomness, no async. What a decision may know comes in as `Facts`;
//! what should happen goes out as `Change`s. Files, databases and people live in other rooms.

pub mod category;
pub mod command;
pub mod digest;
pub mod graph;
pub mod ids;
pub mod json;
pub mod limits;
pub mod names;
pub mod time;
pub mod words;
