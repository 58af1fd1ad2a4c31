//! The operator's graph file: text in, a resolved `Graph` or spanned problems out.
//!
//! Pure: no files, no clock, no environment. A graph that is not understood to the last key is
//! refused, and every problem is reported at once, each with its place and what to do about it.
//! What a graph means for a call is not decided here; that is the core's work.

pub mod diff;
pub mod limits;
pub mod lint;
pub mod node;
pub mod problem;
pub mod review;
pub mod rules;

mod actions;
mod commands;
mod domain;
mod fields;
mod lists;
mod load;
mod patterns;
mod reducers;
mod report;
mod settings;
mod suggest;
mod tools;
mod workflows;

pub use load::{Folder, Loaded, from_node, read, read_with_rules, resolve};
pub use node::{Format, Kind, Node};
pub use problem::{Problem, Problems, Span};
