//! Workflows, slash commands and reducers: is what they name ever theirs to give?

use super::{Check, File, Findings, actions_of};
use crate::fields::is_remark_among_names;
use crate::node::{Entry, Kind, Node};
use countersign_core::model::graph::{ChannelRule, Rule};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};
use std::collections::HashMap;

pub(super) fn lint(file: &File<'_>, found: &mut Findings) {
    for entry in file.entries("workflows").iter().filter(|e| !is_remark_among_names(e)) {
        workflow(file, entry, found);
    }
    for entry in file.entries("slash").iter().filter(|e| !is_remark_among_names(e)) {
        slash(file, entry, found);
    }
    if let Some(Kind::List(items)) = file.root.get("reducers").map(|node| &node.value) {
        reducers(file, items, found);
    }
}

fn workflow(file: &File<'_>, entry: &Entry, found: &mut Findings) {
    let declared: Vec<_> = actions_of(entry.value.get("actions")).collect();
    let blocked = declared.iter().filter(|(action, _)| file.is(action, Tier::Blocked));
    let blocked: Vec<_> = blocked.collect();
    let name = &entry.key.name;
    if !declared.is_empty() && blocked.len() == declared.len() {
        let message = format!("everything that the workflow `{name}` declares is blocked");
        found.add(Check::BlockedInWorkflow, entry.key.span, message);
        return;
    }
    for (action, span) in blocked {
        let message = format!("the workflow `{name}` declares `{action}`, which is blocked");
        found.add(Check::BlockedInWorkflow, *span, message);
    }
}

/// A slash command shows no call, so that it cannot carry what is critical.
fn slash(file: &File<'_>, entry: &Entry, found: &mut Findings) {
    for (action, span) in actions_of(Some(&entry.value)) {
        let Some(why) = file.graph.rule(&action).and_then(out_of_reach) else { continue };
        let message = format!("`{}` cannot bring about `{action}`: {why}", entry.key.name);
        found.add(Check::SlashWithoutEffect, span, message);
    }
}

fn out_of_reach(rule: &Rule) -> Option<&'static str> {
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

fn reducers(file: &File<'_>, items: &[Node], found: &mut Findings) {
    let mut lowest: HashMap<(&str, &Action), Risk> = HashMap::new();
    for (reducer, item) in file.graph.reducers.iter().zip(items) {
        let key = (reducer.caller.as_str(), &reducer.action);
        let earlier = lowest.get(&key).copied();
        let own = file.graph.rule(&reducer.action).map(|rule| rule.risk);
        let caller = Action::parse(&reducer.caller).ok();
        let why = if own == Some(reducer.to) {
            format!("`{}` is its own risk", reducer.to)
        } else if earlier.is_some_and(|risk| risk <= reducer.to) {
            "an earlier one for this caller goes as low".to_owned()
        } else if caller.is_some_and(|caller| file.is(&caller, Tier::Blocked)) {
            format!("its caller `{}` is blocked", reducer.caller)
        } else {
            lowest.insert(key, reducer.to);
            continue;
        };
        let message = format!("this reducer of `{}` never lowers anything: {why}", reducer.action);
        found.add(Check::ReducerWithoutEffect, item.span, message);
    }
}
