//! The engine as its clients see it, where a story cannot go: threads, missing graphs, our own
//! files, changed tools.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]

mod agents;
mod conversation;
mod race;
mod world;
