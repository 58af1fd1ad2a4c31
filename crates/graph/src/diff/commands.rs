//! Compares command rules by their text; does not compare which commands they cover.

use super::{DiffDirection, DiffSubject, Difference, GraphPair, NONE, SubjectDiff, union_keys};
use countersign_core::model::graph::{AskingRule, ChannelRule, Graph, Rule};
use countersign_core::model::words::Tier;
use std::collections::BTreeMap;

/// Where a graph lists a rule.
#[derive(Clone, PartialEq, Eq)]
enum RuleListing {
    Allow,
    Class { action: String, asks: ClassAsks },
    Unlisted,
    Deny,
}

/// Whether the action of a class asks, as far as its own rule says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClassAsks {
    Never,
    Sometimes,
}

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let (old, new) = (list_rules(graphs.old), list_rules(graphs.new));
    for rule in union_keys(old.keys(), new.keys()) {
        let listing_in = |rules: &BTreeMap<String, RuleListing>| {
            rules.get(rule).cloned().unwrap_or(RuleListing::Unlisted)
        };
        let (before, after) = (listing_in(&old), listing_in(&new));
        if before.name() == after.name() {
            continue;
        }
        let mut out = SubjectDiff {
            subject: DiffSubject::Command(rule.clone()),
            differences: &mut *differences,
        };
        out.add("commands", before.name(), after.name(), before.direction_to(&after));
    }
}

impl RuleListing {
    fn name(&self) -> String {
        match self {
            Self::Allow => "allow".to_owned(),
            Self::Class { action, .. } => format!("class {action}"),
            Self::Unlisted => NONE.to_owned(),
            Self::Deny => "deny".to_owned(),
        }
    }

    /// A command in a class is decided as the action of the class, otherwise as that of its tool,
    /// which may be stricter or not. An autonomous class is only a little stricter than `allow`: its
    /// action may still ask.
    fn direction_to(&self, other: &Self) -> DiffDirection {
        match (self.strictness(), other.strictness()) {
            (Some(before), Some(after)) => {
                DiffDirection::from_strictness(&before, &after).unwrap_or(DiffDirection::Unclear)
            }
            (None, Some(Self::DENIED)) => DiffDirection::Stricter,
            (None, Some(Self::ALLOWED)) => DiffDirection::Looser,
            (Some(Self::DENIED), None) => DiffDirection::Looser,
            (Some(Self::ALLOWED), None) => DiffDirection::Stricter,
            (None, _) | (_, None) => DiffDirection::Unclear,
        }
    }

    const ALLOWED: u8 = 0;
    const DENIED: u8 = 3;

    /// None if it cannot be compared with a rule that is not listed.
    fn strictness(&self) -> Option<u8> {
        match self {
            Self::Allow => Some(Self::ALLOWED),
            Self::Class { asks: ClassAsks::Never, .. } => Some(1),
            Self::Class { asks: ClassAsks::Sometimes, .. } => None,
            Self::Unlisted => Some(2),
            Self::Deny => Some(Self::DENIED),
        }
    }
}

/// Every rule of a graph, with whitespace normalised.
fn list_rules(graph: &Graph) -> BTreeMap<String, RuleListing> {
    let normalize = |body: &String| body.split_whitespace().collect::<Vec<_>>().join(" ");
    let commands = &graph.commands;
    let allow = commands.allow.iter().map(|body| (normalize(body), RuleListing::Allow));
    let variables = commands.env.iter().map(|name| (format!("{name}=…"), RuleListing::Allow));
    let classes = commands.classes.iter().flat_map(|(action, bodies)| {
        let asks = graph.rule(action).map_or(ClassAsks::Sometimes, find_asking);
        let listing = RuleListing::Class { action: action.to_string(), asks };
        bodies.iter().map(move |body| (normalize(body), listing.clone()))
    });
    let deny = commands.deny.iter().map(|body| (normalize(body), RuleListing::Deny));
    allow.chain(variables).chain(classes).chain(deny).collect()
}

fn find_asking(rule: &Rule) -> ClassAsks {
    let Rule { tier, asking, channel, .. } = rule;
    match (tier, asking, channel) {
        (Tier::Autonomous, AskingRule::ByTier, ChannelRule::Any) => ClassAsks::Never,
        _ => ClassAsks::Sometimes,
    }
}
