//! Bounds of a simulation, each with its reason.

/// The longest line of a file of calls. A call of the daemon is at most this long, so a longer line
/// could not have been one.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// How many examples a comparison keeps of each kind of difference: a person reads them.
pub const MAX_EXAMPLES: usize = 20;

/// How much time passes between two simulated calls, in microseconds. It is short, so that a grant
/// for a session holds through the longest session of a file.
pub const TIME_BETWEEN_CALLS: i64 = 1_000;
