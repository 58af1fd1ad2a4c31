//! Old files, made here as their systems made them: what is read, and where reading stops.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test whose own files cannot be made should fall over"
)]

mod consent_system;
mod permission_bridge;
