//! Compares the mappings that apply to tools, whichever pattern they come from.

use super::actions::join_categories;
use super::{DiffDirection, DiffSubject, Difference, GraphPair, NONE, SubjectDiff, join_names};
use crate::patterns::{ToolPatternIndex, pattern_stem};
use countersign_core::model::graph::{ChannelRule, Graph, Repeat, ToolMapping, ToolPattern};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Tier, Undo};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let (old, new) =
        (ToolPatternIndex::new(&graphs.old.tools), ToolPatternIndex::new(&graphs.new.tools));
    let all = graphs.old.tools.iter().chain(&graphs.new.tools).map(|mapping| &mapping.pattern);
    let patterns: BTreeMap<String, &ToolPattern> = all.map(|p| (pattern_text(p), p)).collect();
    for (name, pattern) in patterns {
        let mut out =
            SubjectDiff { subject: DiffSubject::Tool(name), differences: &mut *differences };
        match (old.find(pattern), new.find(pattern)) {
            (Some(old), Some(new)) => diff_mapping(old, new, &mut out),
            (None, Some(new)) => {
                let direction = if is_denied(graphs.new, new) {
                    DiffDirection::Stricter
                } else {
                    DiffDirection::Looser
                };
                out.add("tools", NONE.to_owned(), join_actions(new), direction);
            }
            // A call of an unmapped tool is decided by the action that the call itself names.
            (Some(old), None) => {
                let direction = if is_denied(graphs.old, old) {
                    DiffDirection::Looser
                } else {
                    DiffDirection::Unclear
                };
                out.add("tools", join_actions(old), NONE.to_owned(), direction);
            }
            (None, None) => {}
        }
    }
}

fn pattern_text(pattern: &ToolPattern) -> String {
    match pattern {
        ToolPattern::Exact(_) => pattern_stem(pattern).to_owned(),
        ToolPattern::Prefix(_) => format!("{}*", pattern_stem(pattern)),
    }
}

fn action_set(mapping: &ToolMapping) -> BTreeSet<String> {
    mapping.actions.iter().map(Action::to_string).collect()
}

fn join_actions(mapping: &ToolMapping) -> String {
    join_names(&action_set(mapping))
}

fn is_denied(graph: &Graph, mapping: &ToolMapping) -> bool {
    let denied = |action: &Action| {
        graph.rule(action).is_some_and(|rule| {
            rule.tier == Tier::Blocked || rule.channel == ChannelRule::TrustedOnly
        })
    };
    mapping.actions.iter().any(denied)
}

/// A call has to pass for every action of its tool, so more actions are stricter.
fn diff_mapping(old: &ToolMapping, new: &ToolMapping, out: &mut SubjectDiff<'_>) {
    let (before, after) = (action_set(old), action_set(new));
    if before != after {
        let direction = DiffDirection::from_demands(&before, &after);
        out.add("actions", join_names(&before), join_names(&after), direction);
    }
    let declared = |mapping: &ToolMapping| -> BTreeSet<String> {
        mapping.declares.iter().map(Action::to_string).collect()
    };
    let (before, after) = (declared(old), declared(new));
    if before != after {
        // A declared action is asked about before the call, and then passes inside it.
        out.add("declares", join_names(&before), join_names(&after), DiffDirection::Unclear);
    }
    if join_categories(&old.categories) != join_categories(&new.categories) {
        let direction = DiffDirection::from_categories(&old.categories, &new.categories);
        out.add(
            "categories",
            join_categories(&old.categories),
            join_categories(&new.categories),
            direction,
        );
    }
    out.compare("reversible", undo_strictness(old), undo_strictness(new), |strictness| {
        match strictness {
            0 => "true",
            1 => NONE,
            _ => "false",
        }
        .to_owned()
    });
    let needs_person = |mapping: &ToolMapping| mapping.repeat == Repeat::NeedsAPerson;
    out.compare("idempotent", needs_person(old), needs_person(new), |needs| (!needs).to_string());
    let join = |pointers: &[String]| (!pointers.is_empty()).then(|| pointers.join(", "));
    diff_text("target", &join(&old.target), &join(&new.target), DiffDirection::Unclear, out);
    diff_text("folder", &join(&old.folder), &join(&new.folder), DiffDirection::Unclear, out);
    let if_empty = |mapping: &ToolMapping| {
        let empty = mapping.if_empty.as_ref()?;
        let actions: Vec<&str> = empty.actions.iter().map(Action::as_str).collect();
        Some(format!("{} without {}", actions.join(", "), empty.argument))
    };
    diff_text("if_empty", &if_empty(old), &if_empty(new), DiffDirection::Unclear, out);
    for (key, before, after) in [
        ("command", &old.command, &new.command),
        ("recipient", &old.recipient, &new.recipient),
        ("amount", &old.amount, &new.amount),
    ] {
        diff_text(key, before, after, DiffDirection::Unclear, out);
    }
    diff_text("health", &old.health, &new.health, DiffDirection::Neither, out);
}

/// A higher number is stricter; a mapping without the key leaves it to the rule.
fn undo_strictness(mapping: &ToolMapping) -> u8 {
    match mapping.undo {
        Some(Undo::Reversible) => 0,
        None => 1,
        Some(Undo::Irreversible) => 2,
    }
}

fn diff_text(
    key: &'static str,
    old: &Option<String>,
    new: &Option<String>,
    direction: DiffDirection,
    out: &mut SubjectDiff<'_>,
) {
    let show_pointer =
        |pointer: &Option<String>| pointer.clone().unwrap_or_else(|| NONE.to_owned());
    if old != new {
        out.add(key, show_pointer(old), show_pointer(new), direction);
    }
}
