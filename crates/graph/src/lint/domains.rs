//! Checks each domain and every action in its lists.

use super::{LintCheck, LintFindings, LintedGraph, actions, list_texts};
use crate::load::domain_entries;
use crate::node::{DocumentNode, MapEntry};
use countersign_core::model::graph::{ChannelRule, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::HashMap;

const CONDITIONS: [&str; 3] = ["require_diff", "cooling_period_hours", "undo_window_days"];

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    for domain in domain_entries(linted.root) {
        let details = index_details(domain);
        let mut listed: Vec<&Rule> = Vec::new();
        for tier in Tier::ALL {
            for (verb, span) in list_texts(domain.value.get(tier.word())) {
                let Ok(action) = Action::new(&domain.key.name, verb) else { continue };
                let Some(rule) = linted.graph.rule(&action) else { continue };
                listed.push(rule);
                let detail = details.get(verb).copied();
                actions::lint_action(
                    &actions::ListedAction { action, span, rule, detail },
                    findings,
                );
            }
        }
        if listed.is_empty() {
            let message = format!("the domain `{}` lists no action", domain.key.name);
            findings.add(LintCheck::EmptyDomain, domain.key.span, message);
        } else {
            check_conditions(linted, domain, &listed, findings);
        }
    }
}

fn index_details(domain: &MapEntry) -> HashMap<&str, &MapEntry> {
    let entries = domain.value.get("actions").and_then(DocumentNode::entries).unwrap_or_default();
    entries.iter().map(|entry| (entry.key.name.as_str(), entry)).collect()
}

/// Conditions apply only to trusted-channel actions and to those that require approval.
fn check_conditions(
    linted: &LintedGraph<'_>,
    domain: &MapEntry,
    listed: &[&Rule],
    findings: &mut LintFindings,
) {
    let has_conditions =
        linted.graph.domains.get(&domain.key.name).is_some_and(|d| d.conditions.any());
    let applies = listed.iter().any(|rule| {
        rule.tier == Tier::RequiresApproval || rule.channel == ChannelRule::TrustedOnly
    });
    let key = CONDITIONS.iter().find_map(|key| {
        domain.value.entries()?.iter().find(|entry| entry.key.name == *key).map(|entry| &entry.key)
    });
    if let (true, false, Some(key)) = (has_conditions, applies, key) {
        let message = format!("`{}` applies to no action of `{}`", key.name, domain.key.name);
        findings.add(LintCheck::ConditionsWithoutEffect, key.span, message);
    }
}
