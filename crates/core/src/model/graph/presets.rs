//! Presets: named sets of tiers, of which the graph puts one in force.
//!
//! The crate `graph` applies the chosen preset while it loads a file, so a rule's tier is already the
//! one in force. What is kept here tells a person what a preset changes.

use super::Graph;
use crate::model::names::Action;
use crate::model::words::Tier;
use std::collections::BTreeMap;

/// Actions and the tier that a preset moves them to. It never blocks or unblocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub autonomous: Vec<Action>,
    pub requires_approval: Vec<Action>,
}

/// The preset in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenPreset {
    pub name: String,
    /// The actions that it moved, with the tier whose list they stand in.
    pub moved_from: BTreeMap<Action, Tier>,
}

/// An action that a preset moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierMove {
    pub action: Action,
    pub from: Tier,
    pub to: Tier,
}

impl Preset {
    /// Every listed action with its tier.
    pub fn tiers(&self) -> impl Iterator<Item = (&Action, Tier)> {
        let autonomous = self.autonomous.iter().map(|action| (action, Tier::Autonomous));
        let asking = self.requires_approval.iter().map(|action| (action, Tier::RequiresApproval));
        autonomous.chain(asking)
    }
}

impl Graph {
    /// The tier whose list names the action, whatever the preset does with it.
    pub fn listed_tier(&self, action: &Action) -> Option<Tier> {
        let moved = self.preset.as_ref().and_then(|preset| preset.moved_from.get(action));
        moved.copied().or_else(|| self.rule(action).map(|rule| rule.tier))
    }

    /// What the preset in force changed in the lists; for another preset, what would change if it
    /// were in force instead. Sorted by action.
    pub fn preset_moves(&self, name: &str, preset: &Preset) -> Vec<TierMove> {
        let is_chosen = self.preset.as_ref().is_some_and(|chosen| chosen.name == name);
        let tiers: BTreeMap<&Action, Tier> = preset.tiers().collect();
        let mut moves: Vec<TierMove> = Vec::new();
        for (action, rule) in &self.rules {
            let Some(listed) = self.listed_tier(action) else { continue };
            let to = tiers.get(action).copied().unwrap_or(listed);
            let from = if is_chosen { listed } else { rule.tier };
            if from != to {
                moves.push(TierMove { action: action.clone(), from, to });
            }
        }
        moves.sort_by(|a, b| a.action.cmp(&b.action));
        moves
    }
}
