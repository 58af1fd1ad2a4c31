//! Compares the graph's own patterns of secret and guarded places, by their text.

use super::{DiffDirection, GraphPair, SubjectDiff, join_names};
use crate::places::{PlaceKind, PlacePattern};
use countersign_core::model::graph::Graph;
use countersign_core::model::words::Tier;
use std::collections::BTreeSet;

pub(super) fn diff(graphs: &GraphPair<'_>, out: &mut SubjectDiff<'_>) {
    diff_patterns("secrets", PlaceKind::Secret, graphs, out);
    diff_patterns("guarded", PlaceKind::Guarded, graphs, out);
}

fn diff_patterns(
    key: &'static str,
    kind: PlaceKind,
    graphs: &GraphPair<'_>,
    out: &mut SubjectDiff<'_>,
) {
    let (old, new) = (list_patterns(graphs.old, kind), list_patterns(graphs.new, kind));
    if old == new {
        return;
    }
    // Shows only the patterns that were removed and added, not both lists.
    let (removed, added) = (&old - &new, &new - &old);
    let direction = find_direction(&removed, &added);
    let is_comparable =
        [graphs.old, graphs.new].iter().all(|graph| places_are_stricter(graph, kind));
    let direction = if is_comparable { direction } else { DiffDirection::Unclear };
    out.add(key, join_names(&removed), join_names(&added), direction);
}

fn list_patterns(graph: &Graph, kind: PlaceKind) -> BTreeSet<String> {
    let patterns = match kind {
        PlaceKind::Secret => &graph.secrets,
        PlaceKind::Guarded => &graph.guarded,
        // A graph lists none.
        PlaceKind::Cache | PlaceKind::Plan => return BTreeSet::new(),
    };
    patterns.iter().map(|text| text.to_ascii_lowercase()).collect()
}

/// A pattern makes a graph stricter and an exception looser.
fn find_direction(removed: &BTreeSet<String>, added: &BTreeSet<String>) -> DiffDirection {
    let has_exception =
        |patterns: &BTreeSet<String>| patterns.iter().any(|text| is_exception(text));
    let has_pattern = |patterns: &BTreeSet<String>| !patterns.iter().all(|text| is_exception(text));
    let stricter = has_pattern(added) || has_exception(removed);
    let looser = has_exception(added) || has_pattern(removed);
    match (stricter, looser) {
        (true, false) => DiffDirection::Stricter,
        (false, true) => DiffDirection::Looser,
        (true, true) | (false, false) => DiffDirection::Unclear,
    }
}

fn is_exception(text: &str) -> bool {
    text.starts_with(PlacePattern::EXCEPTION_MARK)
}

/// Whether no domain lets agents reach such places freely. If one does, calling a path secret may
/// also loosen a rule.
fn places_are_stricter(graph: &Graph, kind: PlaceKind) -> bool {
    let suffix = format!("_{}", kind.word());
    !graph
        .rules
        .iter()
        .any(|(action, rule)| action.verb().ends_with(&suffix) && rule.tier == Tier::Autonomous)
}
