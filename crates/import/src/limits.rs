//! The limits of an import, each with its reason.

/// Grants in one file: nobody would confirm more of them one by one.
pub const MAX_GRANTS: usize = 10_000;
/// The key of a grant is shown and recorded.
pub const MAX_KEY_BYTES: usize = 256;
/// The description of a grant is shown and recorded.
pub const MAX_DESCRIPTION_BYTES: usize = 4096;
