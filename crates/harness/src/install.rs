//! The hook entries of the programs' settings files: text in, text out.
//!
//! Every byte that is not ours stays as it is: comments, order, indentation, and the hooks of others.
//! An entry is ours if its command is ours, so that an entry with an old path is updated in place. The
//! files are read and written elsewhere.

mod command;
mod document;
mod find;
mod merge;
mod programs;
mod switches;
mod trust;

pub use command::{HookCommand, HookTarget};
pub use document::HookFileError;
pub(crate) use document::{parse_loosely, parse_settings};
pub use find::{HookState, InstalledHook};
pub use programs::HookFile;
pub use switches::{find_disabling_key, find_misleading_variables};
pub use trust::is_trusted_by_codex;
