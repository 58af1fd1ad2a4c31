//! Every bound of reading old grants, each with its reason.

/// Grants in one file: more are not confirmed one by one by anybody.
pub const GRANTS: usize = 10_000;
/// Longest key of a grant, in bytes: it is shown and recorded.
pub const KEY_BYTES: usize = 256;
/// Longest words of a grant, in bytes: they are shown and recorded.
pub const WORDS_BYTES: usize = 4096;
