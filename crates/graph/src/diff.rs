//! Diff: what becomes looser and what stricter, from one graph to another.
//!
//! It compares rule with rule, each by itself. Grants are not in a graph, and so not here. Where a
//! change lets more happen in one situation and less in another it is `unclear`, which nobody
//! should take for harmless.

mod commands;
mod domains;
mod policies;
mod references;
mod rules;
mod settings;
mod tools;
mod turn;

pub use turn::Turn;

use crate::Loaded;
use countersign_core::model::graph::Graph;
use std::collections::BTreeSet;
use std::fmt;

/// One thing that is not the same in both graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub subject: Subject,
    /// The key of the file that it is about.
    pub what: &'static str,
    pub before: String,
    pub after: String,
    pub turn: Turn,
}

/// What a difference is about, in the order in which differences are listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Graph,
    Domain(String),
    Action(String),
    Tool(String),
    Slash(String),
    Workflow(String),
    Reducer { caller: String, action: String },
    Policy(String),
    Command(String),
}

/// Everything that differs: what becomes looser first, then in the order of the subjects.
pub fn diff(old: &Graph, new: &Graph) -> Vec<Difference> {
    let graphs = Pair { old, new };
    let mut found = Vec::new();
    settings::diff(&graphs, &mut found);
    domains::diff(&graphs, &mut found);
    rules::diff(&graphs, &mut found);
    tools::diff(&graphs, &mut found);
    references::diff(&graphs, &mut found);
    commands::diff(&graphs, &mut found);
    sorted(found)
}

/// The same with the policies of both, each by itself: what they come to together is not asked.
pub fn diff_loaded(old: &Loaded, new: &Loaded) -> Vec<Difference> {
    let mut found = diff(&old.graph, &new.graph);
    policies::diff((old.rules.as_deref(), new.rules.as_deref()), &mut found);
    sorted(found)
}

fn sorted(mut found: Vec<Difference>) -> Vec<Difference> {
    found.sort_by(|a, b| (a.turn, &a.subject).cmp(&(b.turn, &b.subject)));
    found
}

struct Pair<'g> {
    old: &'g Graph,
    new: &'g Graph,
}

/// Where the differences of one subject are put.
struct Differences<'f> {
    subject: Subject,
    found: &'f mut Vec<Difference>,
}

impl Differences<'_> {
    fn add(&mut self, what: &'static str, (before, after): (String, String), turn: Turn) {
        let subject = self.subject.clone();
        self.found.push(Difference { subject, what, before, after, turn });
    }

    /// For values whose order is from looser to stricter.
    fn ordered<T: PartialOrd>(
        &mut self,
        what: &'static str,
        values: (T, T),
        shown: fn(&T) -> String,
    ) {
        let (old, new) = &values;
        if let Some(turn) = Turn::towards(old, new) {
            self.add(what, (shown(old), shown(new)), turn);
        }
    }

    /// For sets of which every member is a permission.
    fn permissions(&mut self, what: &'static str, old: &BTreeSet<String>, new: &BTreeSet<String>) {
        if old != new {
            self.add(what, (listed(old), listed(new)), Turn::of_permissions(old, new));
        }
    }
}

const NONE: &str = "-";

fn listed(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return NONE.to_owned();
    }
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// All keys of two maps, in their order.
fn either<'k, K: Ord>(
    old: impl Iterator<Item = &'k K>,
    new: impl Iterator<Item = &'k K>,
) -> BTreeSet<&'k K> {
    old.chain(new).collect()
}

impl Subject {
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
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph => f.write_str("the graph"),
            Self::Action(name) => f.write_str(name),
            Self::Slash(name) => write!(f, "/{name}"),
            Self::Domain(name)
            | Self::Tool(name)
            | Self::Workflow(name)
            | Self::Policy(name)
            | Self::Command(name) => {
                write!(f, "{} {name}", self.kind())
            }
            Self::Reducer { caller, action } => write!(f, "{action} inside {caller}"),
        }
    }
}
