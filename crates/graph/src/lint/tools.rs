//! Checks tool patterns: redundant ones, dangerous ones, and ones that make a tool useless.

use super::{LintCheck, LintFindings, LintedGraph};
use crate::fields::is_comment_in_name_map;
use crate::node::MapEntry;
use crate::patterns::{ToolPatternIndex, pattern_stem};
use crate::problem::TextSpan;
use countersign_core::model::graph::{ToolMapping, ToolPattern};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;

pub(super) fn lint(linted: &LintedGraph<'_>, findings: &mut LintFindings) {
    let entries = linted.entries("tools").iter().filter(|entry| !is_comment_in_name_map(entry));
    let patterns = ToolPatternIndex::new(&linted.graph.tools);
    for (mapping, entry) in linted.graph.tools.iter().zip(entries) {
        check_always_denied(linted, mapping, entry, findings);
        check_autonomous_pattern(linted, mapping, entry, findings);
        check_recipient(linted, mapping, entry, findings);
        if let Some(shorter) = patterns.find_shorter(&mapping.pattern) {
            check_override(linted, mapping, shorter, entry, findings);
        }
    }
}

/// Reports called tools without a pattern, at the `tools` key.
pub(super) fn find_unmapped_tools<'a>(
    linted: &LintedGraph<'_>,
    tools: impl IntoIterator<Item = (&'a str, u64)>,
    findings: &mut LintFindings,
) {
    let tools_entry =
        linted.root.entries().into_iter().flatten().find(|entry| entry.key.name == "tools");
    let span = tools_entry.map_or(TextSpan::at_offset(0), |entry| entry.key.span);
    for (name, calls) in tools {
        if linted.graph.tool(name).is_none() {
            let times = if calls == 1 { "once" } else { &format!("{calls} times") };
            let message =
                format!("the tool `{name}` was called {times}, but no pattern matches it");
            findings.add(LintCheck::ToolWithoutPattern, span, message);
        }
    }
}

fn is_blocked(linted: &LintedGraph<'_>, mapping: &ToolMapping) -> bool {
    mapping.actions.iter().any(|action| linted.has_tier(action, Tier::Blocked))
}

/// Every action of a tool has to pass, so one blocked action denies every call.
fn check_always_denied(
    linted: &LintedGraph<'_>,
    mapping: &ToolMapping,
    entry: &MapEntry,
    findings: &mut LintFindings,
) {
    let blocked = mapping.actions.iter().find(|action| linted.has_tier(action, Tier::Blocked));
    let others = mapping.actions.iter().any(|action| !linted.has_tier(action, Tier::Blocked));
    if let (Some(action), true) = (blocked, others) {
        let name = &entry.key.name;
        let message =
            format!("every call of `{name}` is denied: one of its actions, `{action}`, is blocked");
        findings.add(LintCheck::ToolAlwaysDenied, entry.key.span, message);
    }
}

fn check_autonomous_pattern(
    linted: &LintedGraph<'_>,
    mapping: &ToolMapping,
    entry: &MapEntry,
    findings: &mut LintFindings,
) {
    let autonomous = |action: &Action| linted.has_tier(action, Tier::Autonomous);
    if mapping.actions.is_empty() || !mapping.actions.iter().all(autonomous) {
        return;
    }
    let name = &entry.key.name;
    if mapping.pattern == ToolPattern::Prefix(String::new()) {
        let message = "every tool that no other pattern matches runs without approval";
        findings.add(LintCheck::EveryToolIsFree, entry.key.span, message.to_owned());
    } else if mapping.command.is_some() {
        let message = format!("`{name}` runs command lines, and all of them are autonomous");
        findings.add(LintCheck::EveryCommandIsFree, entry.key.span, message);
    }
}

fn check_recipient(
    linted: &LintedGraph<'_>,
    mapping: &ToolMapping,
    entry: &MapEntry,
    findings: &mut LintFindings,
) {
    let name = &entry.key.name;
    let sends = |action: &&Action| action.verb().starts_with("send");
    let sending: Vec<_> = mapping.actions.iter().filter(sends).collect();
    if let (Some(node), true) = (entry.value.get("recipient"), sending.is_empty()) {
        let message = format!("`{name}` has a recipient, but none of its actions is a `send…`");
        findings.add(LintCheck::RecipientWithoutEffect, node.span, message);
    }
    let checked = sending.iter().find(|action| is_decided_by_recipient(linted, action));
    if let (Some(action), None, []) = (checked, &mapping.recipient, &mapping.target[..]) {
        let span: TextSpan = entry.key.span;
        let message =
            format!("`{name}` has no recipient, so `{action}` treats everybody as unknown");
        findings.add(LintCheck::NoRecipient, span, message);
    }
}

fn is_decided_by_recipient(linted: &LintedGraph<'_>, action: &Action) -> bool {
    let unknown = |verb: &str| {
        Action::new(action.domain(), verb).is_ok_and(|action| linted.graph.rule(&action).is_some())
    };
    !linted.has_tier(action, Tier::Blocked)
        && (unknown("send_unknown") || unknown("send_to_unknown"))
}

fn check_override(
    linted: &LintedGraph<'_>,
    mapping: &ToolMapping,
    shorter: &ToolMapping,
    entry: &MapEntry,
    findings: &mut LintFindings,
) {
    let (name, other) = (&entry.key.name, pattern_stem(&shorter.pattern));
    let same = ToolMapping { pattern: mapping.pattern.clone(), ..shorter.clone() };
    if same == *mapping {
        let message = format!("`{name}` is mapped the same way as `{other}*`");
        findings.add(LintCheck::ToolSaysTheSame, entry.key.span, message);
    } else if is_blocked(linted, shorter) && !is_blocked(linted, mapping) {
        let message = format!("`{name}` is an exception to `{other}*`, which is blocked");
        findings.add(LintCheck::ToolEscapesBlock, entry.key.span, message);
    }
}
