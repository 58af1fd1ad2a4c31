//! Compares presets by what they list, and which one is in force.
//!
//! None of it has a direction of its own: what the preset in force moves is compared as the tiers of
//! the actions.

use super::{DiffDirection, DiffSubject, Difference, GraphPair, NONE, SubjectDiff, union_keys};
use countersign_core::model::graph::{Graph, Preset};
use countersign_core::model::names::Action;

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let GraphPair { old, new } = graphs;
    let chosen =
        |graph: &Graph| graph.preset.as_ref().map_or(NONE.to_owned(), |preset| preset.name.clone());
    let (before, after) = (chosen(old), chosen(new));
    if before != after {
        let mut out = SubjectDiff { subject: DiffSubject::Graph, differences: &mut *differences };
        out.add("preset", before, after, DiffDirection::Neither);
    }
    for name in union_keys(old.presets.keys(), new.presets.keys()) {
        let describe =
            |graph: &Graph| graph.presets.get(name).map_or(NONE.to_owned(), describe_preset);
        let (before, after) = (describe(old), describe(new));
        if before != after {
            let subject = DiffSubject::Preset(name.clone());
            let mut out = SubjectDiff { subject, differences: &mut *differences };
            out.add("presets", before, after, DiffDirection::Neither);
        }
    }
}

fn describe_preset(preset: &Preset) -> String {
    let list = |actions: &[Action]| {
        let mut names: Vec<&str> = actions.iter().map(Action::as_str).collect();
        names.sort_unstable();
        if names.is_empty() { NONE.to_owned() } else { names.join(", ") }
    };
    let (autonomous, asking) = (list(&preset.autonomous), list(&preset.requires_approval));
    format!("autonomous {autonomous}; requires_approval {asking}")
}
