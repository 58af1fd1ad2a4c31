//! The limits of a proof, each with its reason.

/// Literals of one fact that become constraints: each costs the solver a few string comparisons.
/// Leaving some out can only make a result `not proved`.
pub(crate) const MAX_LITERALS: usize = 60;
/// Characters of a solver's message that are shown.
pub(crate) const MAX_MESSAGE_CHARS: usize = 200;
/// Candidate locations of the workspace and home folder for the path of an example.
pub(crate) const MAX_FOLDERS: usize = 12;
/// Candidate paths for an example: each is evaluated under both graphs.
pub(crate) const MAX_PATHS: usize = 500;
