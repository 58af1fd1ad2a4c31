//! The file that a program name starts, whether the agent can replace it, and what a yes would pin.
//!
//! A name may lead through several files: a shim, the program that the shim starts, the interpreter
//! of a script. `chain` follows them without starting a process.
//!
//! See docs/decisions/0054-pinned-programs.md.
//! See docs/decisions/0058-programs-that-are-not-found.md.

mod chain;
mod content;
mod script;
mod search;
mod shim;

pub use content::hash_content;

pub(crate) use chain::ProgramChain;
pub(crate) use content::ContentCache;
pub(crate) use search::{FoundFile, ProgramSearch};

#[cfg(test)]
mod tests;
