//! Loads the operator's graph file: text in, a resolved `Graph` or spanned problems out.
//!
//! Pure: no files, no clock, no environment. A graph with an unknown key or value is refused. All
//! problems are reported at once, each with its span and a help text. This crate does not decide
//! what a graph means for a call; `countersign_core` does.

pub mod command_rule_edit;
pub mod diff;
pub mod layer;
pub mod limits;
pub mod lint;
pub mod node;
pub mod places;
pub mod policies;
pub mod problem;
pub mod review;
pub mod tool_rules;

mod action_references;
mod actions;
mod commands;
mod domain;
mod fields;
mod file_text;
mod lists;
mod load;
mod patterns;
mod place_lists;
mod presets;
mod reducers;
mod report;
mod settings;
mod suggest;
mod text_edit;
mod tools;
mod workflows;

pub use load::{
    LoadedGraph, ReadPolicyFolder, load_graph, load_graph_with_policies, load_inline_graph,
    resolve_graph,
};
pub use node::{DocumentNode, Format, NodeValue};
pub use places::{
    PlaceBases, PlaceKind, PlaceKinds, PlaceMatch, PlacePattern, PlacePatternError, PlacePatterns,
};
pub use problem::{Problem, Problems, TextSpan};
