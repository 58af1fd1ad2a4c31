//! Bytes and JSON: digests, canonical JSON, strict JSON, hex; characters that nobody sees.
//!
//! The lowest layer: it knows nothing of calls, grants or decisions.

pub(crate) mod canonical;
pub mod digest;
pub(crate) mod hex;
pub mod limits;
pub(crate) mod schema;
pub mod unicode;

pub use countersign_json as json;
