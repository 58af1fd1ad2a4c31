//! Decay and confidence: what lets a permission grow old, or an agent's word count too much.

use super::{Check, File, Findings};
use crate::load::domain_entries;
use crate::node::Node;
use crate::problem::Span;
use countersign_core::model::graph::{Asking, ChannelRule, Graph, Rule, Visible};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo, VisiblePolicy};

const LOWEST_THRESHOLD: f64 = 0.5;

pub(super) fn lint(file: &File<'_>, found: &mut Findings) {
    decay(file, found);
    visible(file.root, None, file.graph.visible, found);
    if file.graph.visible.policy == VisiblePolicy::Seed {
        let inherits = |action: &Action| {
            let domain = file.graph.domains.get(action.domain());
            domain.is_some_and(|domain| domain.visible.policy == VisiblePolicy::Seed)
        };
        seed_policy(file, (file.root, "the graph"), inherits, found);
    }
    for entry in domain_entries(file.root) {
        let name = &entry.key.name;
        let Some(domain) = file.graph.domains.get(name) else { continue };
        visible(&entry.value, Some(name), domain.visible, found);
        if domain.visible.policy == VisiblePolicy::Seed {
            seed_policy(file, (&entry.value, name), |action| action.domain() == name, found);
        }
    }
}

/// Nobody decided about decay, and something happens without a question that does more than read.
fn decay(file: &File<'_>, found: &mut Findings) {
    let acts = |rule: &Rule| rule.tier == Tier::Autonomous && rule.risk > Risk::ReadOnly;
    if file.root.get("consent_decay").is_none() && file.graph.rules.values().any(acts) {
        let message = "consent never decays: what is autonomous stays so without a review";
        found.add(Check::NoDecay, Span::at(file.root.span.start), message.to_owned());
    }
}

fn visible(node: &Node, domain: Option<&str>, visible: Visible, found: &mut Findings) {
    let written = node.get("visible").and_then(|visible| visible.get("threshold"));
    let Some(written) = written.filter(|_| visible.threshold < LOWEST_THRESHOLD) else { return };
    if visible.policy != VisiblePolicy::Never {
        let place = domain.map_or(String::new(), |name| format!(" in `{name}`"));
        let threshold = visible.threshold;
        let message = format!("an agent that doubts itself counts as sure{place}: {threshold}");
        found.add(Check::LowThreshold, written.span, message);
    }
}

fn seed_policy(
    file: &File<'_>,
    (node, name): (&Node, &str),
    concerns: impl Fn(&Action) -> bool,
    found: &mut Findings,
) {
    let policy = node.get("visible").and_then(|visible| visible.get("policy"));
    let Some(policy) = policy else { return };
    let mut actions: Vec<&str> = file
        .graph
        .rules
        .iter()
        .filter(|(action, rule)| concerns(action) && passes_for_good(file.graph, action, rule))
        .map(|(action, _)| action.as_str())
        .collect();
    actions.sort_unstable();
    let Some(first) = actions.first() else { return };
    let count = actions.len();
    let message = format!(
        "in {name}, confidence alone lets {count} of the actions happen that cannot be undone, \
         for example `{first}`"
    );
    found.add(Check::ConfidenceWithoutUndo, policy.span, message);
}

/// Whether confidence lets it happen under the policy `seed`, and nothing takes it back.
fn passes_for_good(graph: &Graph, action: &Action, rule: &Rule) -> bool {
    rule.tier == Tier::RequiresApproval
        && rule.risk <= Risk::Moderate
        && rule.undo == Undo::Irreversible
        && rule.asking == Asking::ByTier
        && rule.channel == ChannelRule::Any
        && graph.domains.get(action.domain()).is_none_or(|domain| !domain.conditions.any())
}
