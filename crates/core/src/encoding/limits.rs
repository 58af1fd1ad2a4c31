//! Size limits of names and JSON values.

/// Longest name of an agent, session, action, tool, category, and so on, in bytes.
pub const NAME_BYTES: usize = 256;
/// Arguments of one call in canonical form: a card must be readable, and the record is kept.
pub const ARGUMENT_BYTES: usize = 1 << 20;
/// Nesting of arguments; deeper input is refused before it can exhaust a stack.
pub const ARGUMENT_DEPTH: usize = 64;
