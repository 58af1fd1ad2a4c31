//! Reads presets, and puts the chosen one in force.
//!
//! A preset moves actions between `autonomous` and `requires_approval`. An action that states no risk
//! gets that of the tier it is moved to, and `blocked` is out of reach in both directions.
//!
//! See docs/decisions/0052-presets-and-classes-in-the-file.md.

use crate::action_references::read_action_list;
use crate::domain::DomainCatalogue;
use crate::fields::{MapFields, is_comment_in_name_map};
use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::report::ProblemReport;
use crate::suggest;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{ChosenPreset, Preset, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};
use std::collections::{BTreeMap, HashSet};

/// `blocked` is among them to get a message of its own.
const KEYS: [&str; 3] = ["autonomous", "requires_approval", "blocked"];

pub(crate) fn read_presets(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> BTreeMap<String, Preset> {
    let entries = node.and_then(|node| report.read_map(node, "presets")).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !is_comment_in_name_map(entry));
    entries.filter_map(|entry| read_preset(entry, catalogue, report)).collect()
}

fn read_preset(
    entry: &MapEntry,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<(String, Preset)> {
    let name = &entry.key.name;
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let message = format!("`{}` cannot be a preset", name.escape_debug());
        report.add_problem(entry.key.span, message, "name the preset in one word");
    }
    let fields = MapFields::read(&entry.value, name, &KEYS, report)?;
    if let Some(node) = fields.get("blocked") {
        let message = format!("the preset `{name}` cannot block actions");
        report.add_problem(node.span, message, "list them in `blocked` of their domain");
    }
    let [autonomous, requires_approval] = [Tier::Autonomous, Tier::RequiresApproval].map(|tier| {
        let node = fields.get(tier.word());
        let actions = read_action_list(node, tier.word(), catalogue, report);
        refuse_blocked_actions(node, catalogue, report);
        actions
    });
    refuse_actions_in_both_lists(fields.get("requires_approval"), &autonomous, report);
    Some((name.clone(), Preset { autonomous, requires_approval }))
}

/// The actions of a list with their nodes.
fn action_nodes(list: Option<&DocumentNode>) -> impl Iterator<Item = (Action, &DocumentNode)> {
    let items = match list.map(|node| &node.value) {
        Some(NodeValue::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| match &item.value {
        NodeValue::String(name) => Action::parse(name).ok().map(|action| (action, item)),
        _ => None,
    })
}

fn refuse_blocked_actions(
    list: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) {
    for (action, item) in action_nodes(list) {
        if catalogue.rules.get(&action).is_some_and(|rule| rule.tier == Tier::Blocked) {
            let message = format!("`{action}` is blocked, and no preset moves it");
            let help = "remove it here, or from `blocked` of its domain";
            report.add_problem(item.span, message, help);
        }
    }
}

fn refuse_actions_in_both_lists(
    asking: Option<&DocumentNode>,
    autonomous: &[Action],
    report: &mut ProblemReport,
) {
    let autonomous: HashSet<&Action> = autonomous.iter().collect();
    for (action, item) in action_nodes(asking) {
        if autonomous.contains(&action) {
            let message =
                format!("`{action}` is listed in both `autonomous` and `requires_approval`");
            report.add_problem(item.span, message, "keep it in one list of this preset");
        }
    }
}

/// Reads `preset`, and moves the actions that it lists.
pub(crate) fn apply_preset(
    node: Option<&DocumentNode>,
    presets: &BTreeMap<String, Preset>,
    catalogue: &mut DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<ChosenPreset> {
    let node = node?;
    let name = report.read_text(node, "preset")?;
    let Some(preset) = presets.get(name) else {
        let message = format!("`preset` names `{name}`, which is not among `presets`");
        report.add_problem_with(node.span, message, || {
            let fallback = "add it to `presets`, or remove the key";
            suggest::did_you_mean(name, presets.keys().map(String::as_str), fallback)
        });
        return None;
    };
    let mut moved_from = BTreeMap::new();
    for (action, tier) in preset.tiers() {
        let Some(rule) = catalogue.rules.get_mut(action) else { continue };
        let listed = std::mem::replace(&mut rule.tier, tier);
        if listed != tier {
            if !catalogue.with_stated_risk.contains(action) {
                let floors = rule.categories.iter().map(Category::floor);
                rule.risk = floors.fold(Rule::default_risk(tier), Risk::max);
            }
            moved_from.insert(action.clone(), listed);
        }
    }
    Some(ChosenPreset { name: name.to_owned(), moved_from })
}
