//! Tools: patterns that change nothing, change too much, or make a tool useless.

use super::{Check, File, Findings};
use crate::fields::is_remark_among_names;
use crate::node::Entry;
use crate::patterns::{Patterns, stem};
use crate::problem::Span;
use countersign_core::model::graph::{ToolMapping, ToolPattern};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;

pub(super) fn lint(file: &File<'_>, found: &mut Findings) {
    let entries = file.entries("tools").iter().filter(|entry| !is_remark_among_names(entry));
    let patterns = Patterns::of(&file.graph.tools);
    for (mapping, entry) in file.graph.tools.iter().zip(entries) {
        denied(file, mapping, entry, found);
        free(file, mapping, entry, found);
        recipient(file, mapping, entry, found);
        if let Some(shorter) = patterns.shorter(&mapping.pattern) {
            overrides(file, (mapping, shorter), entry, found);
        }
    }
}

/// What was called and is named nowhere, at the place where it could be named.
pub(super) fn called<'a>(
    file: &File<'_>,
    tools: impl IntoIterator<Item = (&'a str, u64)>,
    found: &mut Findings,
) {
    let place = file.root.entries().into_iter().flatten().find(|entry| entry.key.name == "tools");
    let span = place.map_or(Span::at(0), |entry| entry.key.span);
    for (name, calls) in tools {
        if file.graph.tool(name).is_none() {
            let times = if calls == 1 { "once" } else { &format!("{calls} times") };
            let message = format!("the tool `{name}` was called {times}, and no pattern names it");
            found.add(Check::ToolWithoutPattern, span, message);
        }
    }
}

fn is_blocked(file: &File<'_>, mapping: &ToolMapping) -> bool {
    mapping.actions.iter().any(|action| file.is(action, Tier::Blocked))
}

/// Every action of a tool has to pass, so that one blocked action denies every call.
fn denied(file: &File<'_>, mapping: &ToolMapping, entry: &Entry, found: &mut Findings) {
    let blocked = mapping.actions.iter().find(|action| file.is(action, Tier::Blocked));
    let others = mapping.actions.iter().any(|action| !file.is(action, Tier::Blocked));
    if let (Some(action), true) = (blocked, others) {
        let name = &entry.key.name;
        let message =
            format!("every call of `{name}` is denied: one of its actions, `{action}`, is blocked");
        found.add(Check::ToolAlwaysDenied, entry.key.span, message);
    }
}

fn free(file: &File<'_>, mapping: &ToolMapping, entry: &Entry, found: &mut Findings) {
    let autonomous = |action: &Action| file.is(action, Tier::Autonomous);
    if mapping.actions.is_empty() || !mapping.actions.iter().all(autonomous) {
        return;
    }
    let name = &entry.key.name;
    if mapping.pattern == ToolPattern::Prefix(String::new()) {
        let message = "every tool that no other pattern names happens without a question";
        found.add(Check::EveryToolIsFree, entry.key.span, message.to_owned());
    } else if mapping.command.is_some() {
        let message = format!("`{name}` runs command lines, and all of them are autonomous");
        found.add(Check::EveryCommandIsFree, entry.key.span, message);
    }
}

fn recipient(file: &File<'_>, mapping: &ToolMapping, entry: &Entry, found: &mut Findings) {
    let name = &entry.key.name;
    let sends = |action: &&Action| action.verb().starts_with("send");
    let sending: Vec<_> = mapping.actions.iter().filter(sends).collect();
    if let (Some(node), true) = (entry.value.get("recipient"), sending.is_empty()) {
        let message = format!("`{name}` has a recipient, and none of its actions is a `send…`");
        found.add(Check::RecipientWithoutEffect, node.span, message);
    }
    let asked = sending.iter().find(|action| asks_who_is_known(file, action));
    if let (Some(action), None, []) = (asked, &mapping.recipient, &mapping.target[..]) {
        let span: Span = entry.key.span;
        let message = format!("`{name}` does not say to whom, so that `{action}` knows nobody");
        found.add(Check::NoRecipient, span, message);
    }
}

fn asks_who_is_known(file: &File<'_>, action: &Action) -> bool {
    let unknown = |verb: &str| {
        Action::new(action.domain(), verb).is_ok_and(|action| file.graph.rule(&action).is_some())
    };
    !file.is(action, Tier::Blocked) && (unknown("send_unknown") || unknown("send_to_unknown"))
}

fn overrides(
    file: &File<'_>,
    (mapping, shorter): (&ToolMapping, &ToolMapping),
    entry: &Entry,
    found: &mut Findings,
) {
    let (name, other) = (&entry.key.name, stem(&shorter.pattern));
    let same = ToolMapping { pattern: mapping.pattern.clone(), ..shorter.clone() };
    if same == *mapping {
        let message = format!("`{name}` says the same as `{other}*`");
        found.add(Check::ToolSaysTheSame, entry.key.span, message);
    } else if is_blocked(file, shorter) && !is_blocked(file, mapping) {
        let message = format!("`{name}` is an exception to `{other}*`, which is blocked");
        found.add(Check::ToolEscapesBlock, entry.key.span, message);
    }
}
