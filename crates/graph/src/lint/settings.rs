//! Checks the settings for decay and for the agent's own confidence.

use super::{LintCheck, LintFindings, LintedGraph};
use crate::load::domain_entries;
use crate::node::DocumentNode;
use crate::problem::TextSpan;
use countersign_core::model::graph::{AskingRule, ChannelRule, Graph, Rule, VisibilityRule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier, Undo, VisiblePolicy};

const MIN_SENSIBLE_THRESHOLD: f64 = 0.5;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    check_decay(linted, findings);
    check_threshold(linted.root, None, linted.graph.visible, findings);
    if linted.graph.visible.policy == VisiblePolicy::Seed {
        let inherits = |action: &Action| {
            let domain = linted.graph.domains.get(action.domain());
            domain.is_some_and(|domain| domain.visible.policy == VisiblePolicy::Seed)
        };
        check_seed_policy(linted, linted.root, "the graph", inherits, findings);
    }
    for entry in domain_entries(linted.root) {
        let name = &entry.key.name;
        let Some(domain) = linted.graph.domains.get(name) else { continue };
        check_threshold(&entry.value, Some(name), domain.visible, findings);
        if domain.visible.policy == VisiblePolicy::Seed {
            check_seed_policy(
                linted,
                &entry.value,
                name,
                |action| action.domain() == name,
                findings,
            );
        }
    }
}

/// Finds graphs without a `consent_decay` key in which an autonomous action does more than read.
fn check_decay(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    let acts = |rule: &Rule| rule.tier == Tier::Autonomous && rule.risk > Risk::ReadOnly;
    if linted.root.get("consent_decay").is_none() && linted.graph.rules.values().any(acts) {
        let message = "consent never decays: autonomous actions stay autonomous without a review";
        findings.add(
            LintCheck::NoDecay,
            TextSpan::at_offset(linted.root.span.start),
            message.to_owned(),
        );
    }
}

fn check_threshold(
    node: &DocumentNode,
    domain: Option<&str>,
    visible: VisibilityRule,
    findings: &mut LintFindings,
) {
    let threshold_node = node.get("visible").and_then(|visible| visible.get("threshold"));
    let Some(threshold_node) =
        threshold_node.filter(|_| visible.threshold < MIN_SENSIBLE_THRESHOLD)
    else {
        return;
    };
    if visible.policy != VisiblePolicy::Never {
        let place = domain.map_or(String::new(), |name| format!(" in `{name}`"));
        let threshold = visible.threshold;
        let message =
            format!("an unsure agent counts as confident{place}: the threshold is {threshold}");
        findings.add(LintCheck::LowThreshold, threshold_node.span, message);
    }
}

fn check_seed_policy(
    linted: &LintedGraph<'_>,
    node: &DocumentNode,
    name: &str,
    is_relevant: impl Fn(&Action) -> bool,
    findings: &mut LintFindings,
) {
    let policy = node.get("visible").and_then(|visible| visible.get("policy"));
    let Some(policy) = policy else { return };
    let mut actions: Vec<&str> = linted
        .graph
        .rules
        .iter()
        .filter(|(action, rule)| {
            is_relevant(action) && can_pass_irreversibly(linted.graph, action, rule)
        })
        .map(|(action, _)| action.as_str())
        .collect();
    actions.sort_unstable();
    let Some(first) = actions.first() else { return };
    let count = actions.len();
    let message = format!(
        "in {name}, confidence alone lets irreversible actions pass: {count}, for example `{first}`"
    );
    findings.add(LintCheck::ConfidenceWithoutUndo, policy.span, message);
}

/// Whether the policy `seed` lets the action pass on confidence, although it cannot be undone.
fn can_pass_irreversibly(graph: &Graph, action: &Action, rule: &Rule) -> bool {
    rule.tier == Tier::RequiresApproval
        && rule.risk <= Risk::Moderate
        && rule.assumed_undo() == Undo::Irreversible
        && rule.asking == AskingRule::ByTier
        && rule.channel == ChannelRule::Any
        && graph.domains.get(action.domain()).is_none_or(|domain| !domain.conditions.any())
}
