//! What the operator has approved of servers and tools, and how it compares with what is there now.
//!
//! Nothing here asks or decides.

mod definitions;
mod pin_file;
mod server_identity;
mod started_files;

pub(crate) use definitions::AnswerReach;
pub(crate) use pin_file::{DefinedTool, Pins};
pub(crate) use server_identity::ServerIdentity;
