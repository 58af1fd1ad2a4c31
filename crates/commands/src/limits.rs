//! Every bound on command lines and rules, each with its reason.

/// Bytes of a command line: more is no command that a person could have read.
pub const BYTES: usize = 64 * 1024;
/// Characters of a command line that may match a rule: longer ones somebody looks at.
pub const CHARACTERS: usize = 10_000;
/// Simple commands in one line: beyond that nobody sees which of them matters.
pub const SEGMENTS: usize = 64;
/// Shells, wrappers, substitutions and groups inside each other: deeper ones hide something, and
/// the reader must not run out of stack.
pub const NESTING: usize = 8;
/// Rules of one set: a table that somebody still reviews.
pub const RULES: usize = 10_000;
/// Bytes of the text of one rule: it is held against every command.
pub const RULE_BYTES: usize = 4 * 1024;
