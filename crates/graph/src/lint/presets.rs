//! Finds presets that list actions, but leave every one of them in its list.
//!
//! An empty preset is fine: it is the name for the lists as they are.

use super::{LintCheck, LintFindings, LintedGraph};
use countersign_core::model::graph::Preset;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    for entry in linted.entries("presets") {
        let name = &entry.key.name;
        let Some(preset) = linted.graph.presets.get(name) else { continue };
        if preset.tiers().next().is_some() && !moves_anything(preset, linted) {
            let message = format!("the preset `{name}` leaves every action in its list");
            findings.add(LintCheck::PresetWithoutEffect, entry.key.span, message);
        }
    }
}

fn moves_anything(preset: &Preset, linted: &LintedGraph<'_>) -> bool {
    preset.tiers().any(|(action, tier)| linted.graph.listed_tier(action) != Some(tier))
}
