//! Workflows: named procedures, the actions they declare, and their steps.

use crate::actions::references;
use crate::domain::Catalogue;
use crate::fields::{Fields, is_remark_among_names};
use crate::node::{Entry, Kind, Node};
use crate::report::Report;
use countersign_core::model::graph::{StepConsent, StepRule, WorkflowRule};
use countersign_core::model::names::{Action, Step, Workflow};
use std::collections::{BTreeMap, HashSet};

pub(crate) fn read(
    node: Option<&Node>,
    catalogue: &Catalogue,
    report: &mut Report,
) -> BTreeMap<Workflow, WorkflowRule> {
    let entries = node.and_then(|node| report.map(node, "workflows")).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !is_remark_among_names(entry));
    entries.filter_map(|entry| workflow(entry, catalogue, report)).collect()
}

fn workflow(
    entry: &Entry,
    catalogue: &Catalogue,
    report: &mut Report,
) -> Option<(Workflow, WorkflowRule)> {
    let fields = Fields::read(&entry.value, &entry.key.name, &["actions", "steps"], report)?;
    let name = Workflow::parse(&entry.key.name).map_err(|error| {
        report.problem(entry.key.span, error.to_string(), "name the workflow in one word");
    });
    let actions = references(fields.get("actions"), "actions", catalogue, report);
    let items = fields.get("steps").and_then(|node| report.list(node, "steps"));
    let declared: HashSet<_> = actions.iter().map(Action::as_str).collect();
    let mut names = HashSet::new();
    let mut steps: Vec<StepRule> = Vec::new();
    for item in items.unwrap_or_default() {
        let Some(step) = step(item, catalogue, report) else { continue };
        if !names.insert(step.name.clone()) {
            let message = format!("the step `{}` occurs twice in this workflow", step.name);
            report.problem(item.span, message, "give each step a name of its own");
        }
        refuse_undeclared(item.get("actions"), &step, &declared, report);
        steps.push(step);
    }
    Some((name.ok()?, WorkflowRule { actions, steps }))
}

fn step(node: &Node, catalogue: &Catalogue, report: &mut Report) -> Option<StepRule> {
    let fields = Fields::read(node, "steps", &["name", "actions", "individual"], report)?;
    let actions = references(fields.get("actions"), "actions", catalogue, report);
    let individual = fields.get("individual").and_then(|node| report.flag(node, "individual"));
    let Some(name_node) = fields.get("name") else {
        report.problem(node.span, "this step has no `name`", "a step is `{name: …, actions: […]}`");
        return None;
    };
    let name = Step::parse(report.text(name_node, "name")?).map_err(|error| {
        report.problem(name_node.span, error.to_string(), "name the step in one word");
    });
    let consent = match individual {
        Some(true) => StepConsent::Individual,
        Some(false) | None => StepConsent::OfTheRun,
    };
    Some(StepRule { name: name.ok()?, actions, consent })
}

/// What a step may do was declared when the run was asked for.
fn refuse_undeclared(
    list: Option<&Node>,
    step: &StepRule,
    declared: &HashSet<&str>,
    report: &mut Report,
) {
    let known: HashSet<_> = step.actions.iter().map(Action::as_str).collect();
    let Some(Kind::List(items)) = list.map(|list| &list.value) else { return };
    for item in items {
        let Kind::String(name) = &item.value else { continue };
        if known.contains(name.as_str()) && !declared.contains(name.as_str()) {
            let message = format!(
                "the step `{}` names `{name}`, which its workflow does not declare",
                step.name
            );
            report.problem(item.span, message, "add it to the workflow's `actions`");
        }
    }
}
