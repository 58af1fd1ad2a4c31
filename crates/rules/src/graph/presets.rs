//! Presets in `graph show`: what the one in force changes, and what the others would.

use super::tier_style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Page};
use countersign_core::model::graph::{Graph, TierMove};
use serde_json::{Value, json};

/// For example `quick, of careful, plain, quick`.
pub(super) fn describe_choice(graph: &Graph) -> String {
    let names: Vec<&str> = graph.presets.keys().map(String::as_str).collect();
    let chosen = graph.preset.as_ref().map_or("none", |preset| preset.name.as_str());
    format!("{chosen}, of {}", names.join(", "))
}

/// One row for each action that a preset moves.
pub(super) fn draw(page: &mut Page, graph: &Graph) {
    let rows: Vec<Vec<TableCell>> = graph
        .presets
        .iter()
        .flat_map(|(name, preset)| {
            let moves = graph.preset_moves(name, preset);
            moves.into_iter().map(|moved| cells(graph, name, &moved))
        })
        .collect();
    if !rows.is_empty() {
        page.end();
        table::draw(page, &["PRESET", "IN FORCE", "ACTION", "FROM", "TO"], &rows);
    }
}

fn is_in_force(graph: &Graph, name: &str) -> bool {
    graph.preset.as_ref().is_some_and(|preset| preset.name == name)
}

fn cells(graph: &Graph, name: &str, moved: &TierMove) -> Vec<TableCell> {
    let TierMove { action, from, to } = moved;
    vec![
        TableCell::new(name),
        TableCell::new(if is_in_force(graph, name) { "yes" } else { "no" }),
        TableCell::styled(BOLD, action.as_str()),
        TableCell::styled(tier_style(*from), from.word()),
        TableCell::styled(tier_style(*to), to.word()),
    ]
}

pub(super) fn to_json(graph: &Graph) -> Value {
    let presets = graph.presets.iter().map(|(name, preset)| {
        let moves: Vec<Value> = graph
            .preset_moves(name, preset)
            .iter()
            .map(|TierMove { action, from, to }| json!({"action": action, "from": from, "to": to}))
            .collect();
        json!({"preset": name, "in_force": is_in_force(graph, name), "moves": moves})
    });
    presets.collect()
}
