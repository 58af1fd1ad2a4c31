//! The targets, one for each kind of untrusted input.

mod call;
mod case;
mod command;
mod entry;
mod grants;
mod graph;
mod literal;
mod policy;
mod problems;

use crate::target::Target;
use countersign_graph::{Format, LoadedGraph};
use std::sync::LazyLock;

pub const TARGETS: &[Target] = &[
    graph::TARGET,
    policy::TARGET,
    case::TARGET,
    call::TARGET,
    command::TARGET,
    entry::TARGET,
    grants::TARGET,
];

pub fn find_target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The graph for calls, and for cases without a graph.
fn coding_graph() -> Option<&'static LoadedGraph> {
    static CODING: LazyLock<Option<LoadedGraph>> = LazyLock::new(|| {
        let text = include_bytes!("../../../graphs/coding/countersign.yaml");
        countersign_graph::load_graph("coding", text, Format::Yaml).ok()
    });
    CODING.as_ref()
}
