//! The ledger's bytes: entries, their hash chain, and the parts of an entry that can be erased.
//!
//! Storing entries is the store's work.
//!
//! See docs/decisions/0091-ledger-and-conversation-beside-core.md.

// A new variant must not fall into a wildcard arm unnoticed.
#![deny(clippy::wildcard_enum_match_arm)]

mod chain;
mod entry;
pub mod sealed;
pub mod subject;

pub use chain::{Verifier, VerifyResult, replay, verify};
pub use entry::{Body, ENTRY_LABEL, Entry, Head, LedgerError, Link, UnlinkedEntry};
