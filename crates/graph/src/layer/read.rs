//! Reads the file of a layer: a small part of the keys of a graph.

use super::Layer;
use crate::commands::{self, RuleList};
use crate::domain::{check_domain_name, read_conditions};
use crate::fields::{MapFields, is_comment};
use crate::lists;
use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::place_lists::read_place_patterns;
use crate::places::PlacePattern;
use crate::problem::Problem;
use crate::report::ProblemReport;
use crate::suggest;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::graph::{CommandRules, Conditions};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::{BTreeMap, BTreeSet};

const KEYS: [&str; 4] = ["domains", "commands", "secrets", "guarded"];

/// The other keys of a graph: they say what only the operator can know.
const KEYS_OF_GRAPHS: [&str; 12] = [
    "visible",
    "unclassified",
    "last_reviewed",
    "slash",
    "reducers",
    "tools",
    "workflows",
    "consent_decay",
    "vip_contacts",
    "rules",
    "presets",
    "preset",
];

const DOMAIN_KEYS: [&str; 7] = [
    "autonomous",
    "requires_approval",
    "blocked",
    "trusted_channel_required",
    "cooling_period_hours",
    "undo_window_days",
    "require_diff",
];

const TRUST_HELP: &str = "remove it, or read the file and run `countersign graph trust`";

pub(crate) fn read_layer(root: &DocumentNode) -> Result<Layer, Vec<Problem>> {
    let Some(fields) = MapFields::from_map(root) else {
        let message =
            format!("the rules of a repository are a map, but this is {}", root.describe_type());
        return Err(vec![Problem::new(root.span, message, "start with `domains` or `commands`")]);
    };
    let mut report = ProblemReport::default();
    check_keys(root, &mut report);
    let mut layer = Layer {
        hash: Digest::zero(),
        text: String::new(),
        tiers: BTreeMap::new(),
        channel_bound: BTreeSet::new(),
        conditions: BTreeMap::new(),
        commands: CommandRules::NONE,
        secrets: read_place_patterns(fields.get("secrets"), "secrets", &mut report),
        guarded: read_place_patterns(fields.get("guarded"), "guarded", &mut report),
        widening: Vec::new(),
    };
    for key in ["secrets", "guarded"] {
        note_exceptions(fields.get(key), &mut layer);
    }
    read_commands(fields.get("commands"), &mut layer, &mut report);
    let domains = fields.get("domains").and_then(|node| report.read_map(node, "domains"));
    for entry in domains.unwrap_or_default().iter().filter(|entry| !is_comment(entry)) {
        if check_domain_name(entry, &mut report) {
            read_domain(entry, &mut layer, &mut report);
        }
    }
    layer.widening.sort_by_key(|problem| problem.span.start);
    report.finish().map(|_| layer)
}

fn check_keys(root: &DocumentNode, report: &mut ProblemReport) {
    let entries = root.entries().unwrap_or_default();
    for entry in entries.iter().filter(|entry| !is_comment(entry)) {
        let name = entry.key.name.as_str();
        if KEYS.contains(&name) {
            continue;
        }
        if KEYS_OF_GRAPHS.contains(&name) {
            let message = format!("`{name}` belongs in your own graph, not in a repository");
            report.add_problem(entry.key.span, message, "move it to your own graph");
        } else {
            let message = format!("the rules of a repository have no key `{name}`");
            report.add_problem_with(entry.key.span, message, || {
                let fallback = "remove it, or start its name with `_` if it is a comment";
                suggest::did_you_mean(name, KEYS, fallback)
            });
        }
    }
}

/// An exception takes a place out of what the operator named.
fn note_exceptions(list: Option<&DocumentNode>, layer: &mut Layer) {
    let items = list.map(DocumentNode::items).unwrap_or_default();
    let is_exception = |item: &&DocumentNode| matches!(&item.value, NodeValue::String(text) if text.starts_with(PlacePattern::EXCEPTION_MARK));
    for item in items.iter().filter(is_exception) {
        let message = "an exception takes places out of your own lists, so it needs your trust";
        layer.widening.push(Problem::new(item.span, message, TRUST_HELP));
    }
}

fn read_commands(node: Option<&DocumentNode>, layer: &mut Layer, report: &mut ProblemReport) {
    let Some(node) = node else { return };
    for key in ["classes", "env"] {
        if let Some(entry) = node.entry(key) {
            let message = format!("`{key}` belongs in your own graph, not in a repository");
            report.add_problem(entry.key.span, message, "move it to your own graph");
        }
    }
    let rules = commands::read_rules(Some(node), report);
    commands::refuse_duplicate_rules(&rules, report);
    for located in rules {
        match located.list {
            RuleList::Allow => layer.commands.allow.push(located.body),
            RuleList::Deny => layer.commands.deny.push(located.body),
            // Refused above.
            RuleList::Class(_) => {}
        }
    }
    if let Some(list) = node.get("allow").filter(|_| !layer.commands.allow.is_empty()) {
        let message = "command rules that allow something need your trust";
        layer.widening.push(Problem::new(list.span, message, TRUST_HELP));
    }
}

fn read_domain(entry: &MapEntry, layer: &mut Layer, report: &mut ProblemReport) {
    let name = entry.key.name.as_str();
    let Some(fields) = MapFields::read(&entry.value, name, &DOMAIN_KEYS, report) else { return };
    for listed in lists::read_present_lists(&entry.key, &fields, report) {
        layer.tiers.insert(listed.action, listed.tier);
    }
    let word = Tier::Autonomous.word();
    let autonomous = fields.get(word).filter(|list| !list.items().is_empty());
    if let Some(list) = autonomous {
        let message = format!("`{word}` lets agents act without asking, so it needs your trust");
        layer.widening.push(Problem::new(list.span, message, TRUST_HELP));
    }
    let label = "trusted_channel_required";
    let bound = fields.get(label).and_then(|node| report.read_list(node, label));
    for item in bound.unwrap_or_default() {
        let Some(verb) = report.read_text(item, label) else { continue };
        match Action::new(name, verb) {
            Ok(action) => {
                layer.channel_bound.insert(action);
            }
            Err(error) => {
                report.add_problem(item.span, error.to_string(), "name an action of the domain");
            }
        }
    }
    let conditions = read_conditions(&fields, report);
    if conditions != Conditions::NONE {
        layer.conditions.insert(name.to_owned(), conditions);
    }
}
