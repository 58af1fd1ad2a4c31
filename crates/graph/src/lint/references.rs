//! Checks whether workflows, slash commands and reducers have an effect on the actions they name.

use super::{LintCheck, LintFindings, LintedGraph, list_actions};
use crate::fields::is_comment_in_name_map;
use crate::node::{DocumentNode, MapEntry, NodeValue};
use countersign_core::model::graph::{ChannelRule, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};
use std::collections::HashMap;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    for entry in linted.entries("workflows").iter().filter(|e| !is_comment_in_name_map(e)) {
        check_workflow(linted, entry, findings);
    }
    for entry in linted.entries("slash").iter().filter(|e| !is_comment_in_name_map(e)) {
        check_slash_command(linted, entry, findings);
    }
    if let Some(NodeValue::List(items)) = linted.root.get("reducers").map(|node| &node.value) {
        check_reducers(linted, items, findings);
    }
}

fn check_workflow(linted: &LintedGraph<'_>, entry: &MapEntry, findings: &mut LintFindings) {
    let declared: Vec<_> = list_actions(entry.value.get("actions")).collect();
    let blocked = declared.iter().filter(|(action, _)| linted.has_tier(action, Tier::Blocked));
    let blocked: Vec<_> = blocked.collect();
    let name = &entry.key.name;
    if !declared.is_empty() && blocked.len() == declared.len() {
        let message = format!("everything that the workflow `{name}` declares is blocked");
        findings.add(LintCheck::BlockedInWorkflow, entry.key.span, message);
        return;
    }
    for (action, span) in blocked {
        let message = format!("the workflow `{name}` declares `{action}`, which is blocked");
        findings.add(LintCheck::BlockedInWorkflow, *span, message);
    }
}

/// A slash command shows no call to the operator, so it cannot allow a critical action.
fn check_slash_command(linted: &LintedGraph<'_>, entry: &MapEntry, findings: &mut LintFindings) {
    for (action, span) in list_actions(Some(&entry.value)) {
        let Some(why) = linted.graph.rule(&action).and_then(explain_slash_obstacle) else {
            continue;
        };
        let message = format!("`{}` cannot allow `{action}`: {why}", entry.key.name);
        findings.add(LintCheck::SlashWithoutEffect, span, message);
    }
}

fn explain_slash_obstacle(rule: &Rule) -> Option<&'static str> {
    if rule.tier == Tier::Blocked {
        Some("it is blocked")
    } else if rule.channel == ChannelRule::TrustedOnly {
        Some("it needs the trusted channel")
    } else if rule.risk == Risk::Critical {
        Some("its risk is critical")
    } else {
        None
    }
}

fn check_reducers(linted: &LintedGraph<'_>, items: &[DocumentNode], findings: &mut LintFindings) {
    let mut lowest: HashMap<(&str, &Action), Risk> = HashMap::new();
    for (reducer, item) in linted.graph.reducers.iter().zip(items) {
        let key = (reducer.caller.as_str(), &reducer.action);
        let earlier = lowest.get(&key).copied();
        let declared_risk = linted.graph.rule(&reducer.action).map(|rule| rule.risk);
        let caller = Action::parse(&reducer.caller).ok();
        let why = if declared_risk == Some(reducer.to) {
            format!("`{}` is its own risk", reducer.to)
        } else if earlier.is_some_and(|risk| risk <= reducer.to) {
            "an earlier reducer for this caller goes as low".to_owned()
        } else if caller.is_some_and(|caller| linted.has_tier(&caller, Tier::Blocked)) {
            format!("its caller `{}` is blocked", reducer.caller)
        } else {
            lowest.insert(key, reducer.to);
            continue;
        };
        let message = format!("this reducer of `{}` never lowers anything: {why}", reducer.action);
        findings.add(LintCheck::ReducerWithoutEffect, item.span, message);
    }
}
