//! Diff: what becomes looser and what becomes stricter from one graph to another.
//!
//! Compares each rule by itself. Grants are not part of a graph and not compared. A change that is
//! looser in one situation and stricter in another is `unclear`, which does not mean harmless.

mod actions;
mod commands;
mod direction;
mod domains;
mod places;
mod policies;
mod presets;
mod references;
mod settings;
mod summary;
mod tools;

pub use direction::DiffDirection;
pub use summary::summarize;

use crate::LoadedGraph;
use countersign_core::model::graph::Graph;
use std::collections::BTreeSet;
use std::fmt;

/// One difference between two graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub subject: DiffSubject,
    /// The key of the graph file that differs.
    pub key: &'static str,
    pub before: String,
    pub after: String,
    pub direction: DiffDirection,
}

/// What a difference is about. The order of the variants is the order of the output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiffSubject {
    Graph,
    Domain(String),
    Action(String),
    Tool(String),
    Slash(String),
    Workflow(String),
    Reducer { caller: String, action: String },
    Policy(String),
    Command(String),
    Preset(String),
}

/// All differences of two graphs, sorted by direction (looser first) and then by subject.
pub fn diff(old: &Graph, new: &Graph) -> Vec<Difference> {
    let graphs = GraphPair { old, new };
    let mut differences = Vec::new();
    settings::diff(&graphs, &mut differences);
    domains::diff(&graphs, &mut differences);
    actions::diff(&graphs, &mut differences);
    tools::diff(&graphs, &mut differences);
    references::diff(&graphs, &mut differences);
    commands::diff(&graphs, &mut differences);
    presets::diff(&graphs, &mut differences);
    sort_differences(differences)
}

/// Also compares the policies, each by itself; their combined effect is not compared.
pub fn diff_with_policies(old: &LoadedGraph, new: &LoadedGraph) -> Vec<Difference> {
    let mut differences = diff(&old.graph, &new.graph);
    policies::diff(old.policies.as_deref(), new.policies.as_deref(), &mut differences);
    sort_differences(differences)
}

fn sort_differences(mut differences: Vec<Difference>) -> Vec<Difference> {
    differences.sort_by(|a, b| (a.direction, &a.subject).cmp(&(b.direction, &b.subject)));
    differences
}

struct GraphPair<'g> {
    old: &'g Graph,
    new: &'g Graph,
}

/// Collects the differences of one subject.
struct SubjectDiff<'f> {
    subject: DiffSubject,
    differences: &'f mut Vec<Difference>,
}

impl SubjectDiff<'_> {
    fn add(&mut self, key: &'static str, before: String, after: String, direction: DiffDirection) {
        let subject = self.subject.clone();
        self.differences.push(Difference { subject, key, before, after, direction });
    }

    /// Adds a difference between values that are ordered from looser to stricter.
    fn compare<T: PartialOrd>(
        &mut self,
        key: &'static str,
        old: T,
        new: T,
        show: fn(&T) -> String,
    ) {
        if let Some(direction) = DiffDirection::from_strictness(&old, &new) {
            self.add(key, show(&old), show(&new), direction);
        }
    }

    /// Adds a difference between sets of permissions.
    fn compare_permissions(
        &mut self,
        key: &'static str,
        old: &BTreeSet<String>,
        new: &BTreeSet<String>,
    ) {
        if old != new {
            self.add(
                key,
                join_names(old),
                join_names(new),
                DiffDirection::from_permissions(old, new),
            );
        }
    }
}

const NONE: &str = "-";

fn join_names(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return NONE.to_owned();
    }
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The keys of both maps, sorted.
fn union_keys<'k, K: Ord>(
    old: impl Iterator<Item = &'k K>,
    new: impl Iterator<Item = &'k K>,
) -> BTreeSet<&'k K> {
    old.chain(new).collect()
}

impl DiffSubject {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Domain(_) => "domain",
            Self::Action(_) => "action",
            Self::Tool(_) => "tool",
            Self::Slash(_) => "slash",
            Self::Workflow(_) => "workflow",
            Self::Reducer { .. } => "reducer",
            Self::Policy(_) => "policy",
            Self::Command(_) => "command",
            Self::Preset(_) => "preset",
        }
    }
}

impl fmt::Display for DiffSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph => f.write_str("the graph"),
            Self::Action(name) => f.write_str(name),
            Self::Slash(name) => write!(f, "/{name}"),
            Self::Domain(name)
            | Self::Tool(name)
            | Self::Workflow(name)
            | Self::Policy(name)
            | Self::Command(name)
            | Self::Preset(name) => {
                write!(f, "{} {name}", self.kind())
            }
            Self::Reducer { caller, action } => write!(f, "{action} inside {caller}"),
        }
    }
}
