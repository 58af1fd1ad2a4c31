//! Size limits of names and JSON values.

pub use countersign_json::{ARGUMENT_BYTES, ARGUMENT_DEPTH};

/// Longest name of an agent, session, action, tool, category, and so on, in bytes.
pub const NAME_BYTES: usize = 256;
