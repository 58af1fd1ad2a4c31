//! The targets, one for each thing that is written outside and read here.

mod call;
mod case;
mod command;
mod entry;
mod grants;
mod graph;
mod literal;
mod places;
mod policy;

use crate::target::Target;
use countersign_graph::{Format, LoadedGraph};
use std::sync::LazyLock;

pub const ALL: &[Target] = &[
    graph::TARGET,
    policy::TARGET,
    case::TARGET,
    call::TARGET,
    command::TARGET,
    entry::TARGET,
    grants::TARGET,
];

pub fn find(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name)
}

/// The graph for calls, and for cases that bring none of their own.
fn coding() -> Option<&'static LoadedGraph> {
    static CODING: LazyLock<Option<LoadedGraph>> = LazyLock::new(|| {
        let text = include_bytes!("../../../graphs/coding/countersign.yaml");
        countersign_graph::load_graph("coding", text, Format::Yaml).ok()
    });
    CODING.as_ref()
}
