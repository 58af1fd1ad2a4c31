//! Tools: what a tool's name stands for, whichever pattern says so.

use super::rules::names;
use super::{Difference, Differences, NONE, Pair, Subject, Turn, listed};
use crate::patterns::{Patterns, stem};
use countersign_core::model::graph::{ChannelRule, Graph, Repeat, ToolMapping, ToolPattern};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, Undo};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    let (old, new) = (Patterns::of(&graphs.old.tools), Patterns::of(&graphs.new.tools));
    let all = graphs.old.tools.iter().chain(&graphs.new.tools).map(|mapping| &mapping.pattern);
    let patterns: BTreeMap<String, &ToolPattern> = all.map(|p| (written(p), p)).collect();
    for (name, pattern) in patterns {
        let mut out = Differences { subject: Subject::Tool(name), found: &mut *found };
        match (old.governing(pattern), new.governing(pattern)) {
            (Some(old), Some(new)) => changed((old, new), &mut out),
            (None, Some(new)) => {
                let turn = if is_denied(graphs.new, new) { Turn::Stricter } else { Turn::Looser };
                out.add("tools", (NONE.to_owned(), actions(new)), turn);
            }
            // A call of a tool that nobody maps is decided as what it names itself.
            (Some(old), None) => {
                let turn = if is_denied(graphs.old, old) { Turn::Looser } else { Turn::Unclear };
                out.add("tools", (actions(old), NONE.to_owned()), turn);
            }
            (None, None) => {}
        }
    }
}

fn written(pattern: &ToolPattern) -> String {
    match pattern {
        ToolPattern::Exact(_) => stem(pattern).to_owned(),
        ToolPattern::Prefix(_) => format!("{}*", stem(pattern)),
    }
}

fn set(mapping: &ToolMapping) -> BTreeSet<String> {
    mapping.actions.iter().map(Action::to_string).collect()
}

fn actions(mapping: &ToolMapping) -> String {
    listed(&set(mapping))
}

fn is_denied(graph: &Graph, mapping: &ToolMapping) -> bool {
    let denied = |action: &Action| {
        graph.rule(action).is_some_and(|rule| {
            rule.tier == Tier::Blocked || rule.channel == ChannelRule::TrustedOnly
        })
    };
    mapping.actions.iter().any(denied)
}

/// A call has to pass for every action of its tool.
fn changed((old, new): (&ToolMapping, &ToolMapping), out: &mut Differences<'_>) {
    let (before, after) = (set(old), set(new));
    if before != after {
        let turn = Turn::of_demands(&before, &after);
        out.add("actions", (listed(&before), listed(&after)), turn);
    }
    if names(&old.categories) != names(&new.categories) {
        let turn = Turn::of_categories(&old.categories, &new.categories);
        out.add("categories", (names(&old.categories), names(&new.categories)), turn);
    }
    out.ordered("reversible", (undo(old), undo(new)), |strictness| {
        match strictness {
            0 => "true",
            1 => NONE,
            _ => "false",
        }
        .to_owned()
    });
    let person = |mapping: &ToolMapping| mapping.repeat == Repeat::NeedsAPerson;
    out.ordered("idempotent", (person(old), person(new)), |needs| (!needs).to_string());
    let targets =
        |mapping: &ToolMapping| (!mapping.target.is_empty()).then(|| mapping.target.join(", "));
    pointer("target", (&targets(old), &targets(new)), Turn::Unclear, out);
    for (what, before, after) in [
        ("command", &old.command, &new.command),
        ("recipient", &old.recipient, &new.recipient),
        ("amount", &old.amount, &new.amount),
    ] {
        pointer(what, (before, after), Turn::Unclear, out);
    }
    pointer("health", (&old.health, &new.health), Turn::Neither, out);
}

/// By strictness; a mapping that does not say it leaves it to the rule.
fn undo(mapping: &ToolMapping) -> u8 {
    match mapping.undo {
        Some(Undo::Reversible) => 0,
        None => 1,
        Some(Undo::Irreversible) => 2,
    }
}

fn pointer(
    what: &'static str,
    (old, new): (&Option<String>, &Option<String>),
    turn: Turn,
    out: &mut Differences<'_>,
) {
    let said = |pointer: &Option<String>| pointer.clone().unwrap_or_else(|| NONE.to_owned());
    if old != new {
        out.add(what, (said(old), said(new)), turn);
    }
}
