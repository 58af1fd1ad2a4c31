//! Bounds of a simulation, each with its reason.

/// The longest line of a file of calls. A call of the daemon is at most this long, so a longer line
/// could not have been one.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// How many examples a comparison keeps of each kind of difference: a person reads them.
pub const MAX_EXAMPLES: usize = 20;

/// How much time passes between two simulated calls, in microseconds. It is short, so that a grant
/// for a session holds through the longest session of a file.
pub const TIME_BETWEEN_CALLS: i64 = 1_000;

/// How many characters of a tool's name are shown. Every name of a tool that a program has is shorter;
/// what a model made up may have any length.
pub const MAX_SHOWN_TOOL: usize = 128;

/// How often a call is answered. The yes to a program that nobody had pinned is followed by at most one
/// question about its class; more would be a mistake of ours, and would not end.
pub const MAX_ANSWERS: usize = 4;
