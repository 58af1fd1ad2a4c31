//! The engine as its clients see it, where a story cannot go: threads, missing graphs, our own
//! files, changed tools; and what holds whatever happens.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "a test that cannot be set up should fall over"
)]

mod agents;
mod answers;
mod commands;
mod conversation;
mod inside;
mod meanwhile;
mod narrowing;
mod own_programs;
mod paths;
mod pins;
mod policies;
mod properties;
mod race;
mod run_files;
mod stores;
mod unswept;
mod world;
