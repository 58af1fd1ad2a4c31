//! Every limit on command lines and rules, each with its reason.

pub use countersign_shell::limits::*;

/// Longest command line; nobody could read a longer one.
pub const MAX_COMMAND_BYTES: usize = 64 * 1024;
/// Longest command line that may match an allow rule; a person looks at longer ones.
pub const MAX_MATCHABLE_CHARS: usize = 10_000;
/// Rules in one set; nobody reviews more.
pub const MAX_RULES: usize = 10_000;
/// Length of one rule, which is compared with every command.
pub const MAX_RULE_BYTES: usize = 4 * 1024;
/// Folders in which one command of a line may run; with more, its paths count as unknown.
pub const MAX_FOLDERS: usize = 8;
/// Words that one pattern may expand to; a person looks at more.
pub const MAX_GLOB_MATCHES: usize = 500;
/// Files of task runners that are read for one name. A workspace with more packages asks.
pub const MAX_TASK_FILES: usize = 64;
/// Ways to read one word with braces.
pub const MAX_BRACE_READINGS: usize = 16;
/// How often the bytes of a line may be scanned, as scripts within scripts.
pub const MAX_READINGS: usize = 32;
/// Secret files below a folder that are kept by name. A card shows three.
pub const MAX_NAMED_SECRETS: usize = 64;
/// Names that a narrowed line leaves out. A line with more is one that nobody reads; it asks.
pub const MAX_EXCLUSIONS: usize = 24;
/// Words behind the head of a program without a table. Each is looked up on the search path.
pub const MAX_OPEN_HEAD_WORDS: usize = 24;
/// Longest name of a file on the file systems in use. A longer word names none.
pub const MAX_FILE_NAME_BYTES: usize = 255;
