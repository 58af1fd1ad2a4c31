//! Files of earlier systems, built as those systems build them: what is read, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot create its own files should fail"
)]

mod consent_system;
mod permission_bridge;
