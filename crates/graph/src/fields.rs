//! The keys of one map of the graph, known and unknown.
//!
//! A key that begins with `_` is the operator's own remark. Any other key that nobody knows is
//! refused: a misspelt `blocked` must not pass for a comment.

use crate::node::{Entry, Kind, Node};
use crate::report::Report;
use crate::suggest;

pub(crate) struct Fields<'n> {
    entries: &'n [Entry],
}

impl<'n> Fields<'n> {
    /// Reports a node that is no map, and every key that is not among the known ones.
    pub(crate) fn read(
        node: &'n Node,
        what: &str,
        known: &[&str],
        report: &mut Report,
    ) -> Option<Self> {
        let entries = report.map(node, what)?;
        for entry in entries.iter().filter(|entry| !is_remark(entry)) {
            let name = entry.key.name.as_str();
            if !known.contains(&name) {
                unknown(entry, what, known, report);
            }
        }
        Some(Self { entries })
    }

    /// The keys of a map that was checked otherwise.
    pub(crate) fn of(node: &'n Node) -> Option<Self> {
        node.entries().map(|entries| Self { entries })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|entry| entry.key.name == key).map(|entry| &entry.value)
    }
}

pub(crate) fn is_remark(entry: &Entry) -> bool {
    entry.key.name.starts_with('_')
}

/// In a map from names to things, only a scalar under such a key is surely a remark: dropping a
/// tool or a workflow because of its name would drop rules.
pub(crate) fn is_remark_among_names(entry: &Entry) -> bool {
    is_remark(entry) && !matches!(entry.value.value, Kind::List(_) | Kind::Map(_))
}

fn unknown(entry: &Entry, what: &str, known: &[&str], report: &mut Report) {
    let name = &entry.key.name;
    report.misspelt(entry.key.span, format!("`{what}` has no key `{name}`"), || {
        let otherwise = "remove it, or begin its name with `_` if it is a remark";
        suggest::help(name, known.iter().copied(), otherwise)
    });
}
