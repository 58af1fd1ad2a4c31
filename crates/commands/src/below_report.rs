//! What lies below a folder that a command reads as a whole.
//!
//! See docs/decisions/0117-links-and-lists-of-paths.md.

/// What lies below a folder, hidden and generated files too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BelowReport {
    /// No link leads out of the workspace, and nothing is a secret.
    pub stays_inside: bool,
    /// No name begins with `-` or has a character that splits words.
    pub has_plain_names: bool,
}
