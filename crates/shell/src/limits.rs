//! Bounds of one command line. Whatever is over a bound asks.

/// Simple commands after loops are written out. Each one is judged.
pub const MAX_EXPANDED_SEGMENTS: usize = 200;
/// Words that a loop runs through; a person looks at more.
pub const MAX_ITERATIONS: usize = 64;
/// Nesting of shells, wrappers, substitutions and groups. Deeper nesting probably hides something,
/// and the parser recurses.
pub const MAX_NESTING: usize = 8;
/// Simple commands in one line; with more, a reader overlooks the one that matters.
pub const MAX_SEGMENTS: usize = 64;
/// Values of one variable, and readings of one word. Each reading multiplies the lookups.
pub const MAX_VALUES: usize = 8;
/// Variables of one line whose values are followed; a line that sets more hides what it does.
pub const MAX_VARIABLES: usize = 64;
