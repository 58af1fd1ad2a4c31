//! Observations of the world around a call: where paths lead, what a program name starts, and the
//! facts of the call's arguments.
//!
//! It only reads: it opens no file and changes none. It decides nothing; rules and policies test
//! what it returns.

mod argument_facts;
mod command_lookup;
mod file_system;
pub mod limits;
mod program;
mod real_path;

pub use argument_facts::Reader;
pub use command_lookup::Ground;
pub use file_system::{Disk, Identity, Paper, System, Unresolved, Unseen};
pub use program::{Inode, Keeper, Program};
pub use real_path::RealPath;
