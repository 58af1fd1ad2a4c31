//! Access to the keys of one map in a graph file, with a check for unknown keys.
//!
//! A key that starts with `_` is the operator's comment. Any other unknown key is refused: a
//! misspelled `blocked` must not be taken for a comment.

use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::report::ProblemReport;
use crate::suggest;

pub(crate) struct MapFields<'n> {
    entries: &'n [MapEntry],
}

impl<'n> MapFields<'n> {
    /// Reports a node that is not a map, and every key that is not in `known`.
    pub(crate) fn read(
        node: &'n DocumentNode,
        label: &str,
        known: &[&str],
        report: &mut ProblemReport,
    ) -> Option<Self> {
        let entries = report.read_map(node, label)?;
        for entry in entries.iter().filter(|entry| !is_comment(entry)) {
            let name = entry.key.name.as_str();
            if !known.contains(&name) {
                report_unknown_key(entry, label, known, report);
            }
        }
        Some(Self { entries })
    }

    /// Does not check the keys; the caller does.
    pub(crate) fn from_map(node: &'n DocumentNode) -> Option<Self> {
        node.entries().map(|entries| Self { entries })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n DocumentNode> {
        self.entries.iter().find(|entry| entry.key.name == key).map(|entry| &entry.value)
    }
}

pub(crate) fn is_comment(entry: &MapEntry) -> bool {
    entry.key.name.starts_with('_')
}

/// In a map whose keys are names chosen by the operator, only a scalar is taken for a comment:
/// ignoring a tool or workflow because its name starts with `_` would drop rules.
pub(crate) fn is_comment_in_name_map(entry: &MapEntry) -> bool {
    is_comment(entry) && !matches!(entry.value.value, NodeValue::List(_) | NodeValue::Map(_))
}

fn report_unknown_key(entry: &MapEntry, label: &str, known: &[&str], report: &mut ProblemReport) {
    let name = &entry.key.name;
    report.add_problem_with(entry.key.span, format!("`{label}` has no key `{name}`"), || {
        let fallback = "remove it, or start its name with `_` if it is a comment";
        suggest::did_you_mean(name, known.iter().copied(), fallback)
    });
}
