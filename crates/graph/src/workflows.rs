//! Reads workflows: named procedures with the actions they declare and their steps.

use crate::action_references::read_action_list;
use crate::domain::DomainCatalogue;
use crate::fields::{MapFields, is_comment_in_name_map};
use crate::node::{DocumentNode, MapEntry, NodeValue};
use crate::report::ProblemReport;
use countersign_core::model::graph::{StepConsent, StepRule, WorkflowRule};
use countersign_core::model::names::{Action, StepName, Workflow};
use std::collections::{BTreeMap, HashSet};

pub(crate) fn read_workflows(
    node: Option<&DocumentNode>,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> BTreeMap<Workflow, WorkflowRule> {
    let entries = node.and_then(|node| report.read_map(node, "workflows")).unwrap_or_default();
    let entries = entries.iter().filter(|entry| !is_comment_in_name_map(entry));
    entries.filter_map(|entry| read_workflow(entry, catalogue, report)).collect()
}

fn read_workflow(
    entry: &MapEntry,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<(Workflow, WorkflowRule)> {
    let fields = MapFields::read(&entry.value, &entry.key.name, &["actions", "steps"], report)?;
    let name = Workflow::parse(&entry.key.name).map_err(|error| {
        report.add_problem(entry.key.span, error.to_string(), "name the workflow in one word");
    });
    let actions = read_action_list(fields.get("actions"), "actions", catalogue, report);
    let items = fields.get("steps").and_then(|node| report.read_list(node, "steps"));
    let declared: HashSet<_> = actions.iter().map(Action::as_str).collect();
    let mut names = HashSet::new();
    let mut steps: Vec<StepRule> = Vec::new();
    for item in items.unwrap_or_default() {
        let Some(step) = read_step(item, catalogue, report) else { continue };
        if !names.insert(step.name.clone()) {
            let message = format!("the step `{}` occurs twice in this workflow", step.name);
            report.add_problem(item.span, message, "give each step a different name");
        }
        refuse_undeclared_actions(item.get("actions"), &step, &declared, report);
        steps.push(step);
    }
    Some((name.ok()?, WorkflowRule { actions, steps }))
}

fn read_step(
    node: &DocumentNode,
    catalogue: &DomainCatalogue,
    report: &mut ProblemReport,
) -> Option<StepRule> {
    let fields = MapFields::read(node, "steps", &["name", "actions", "individual"], report)?;
    let actions = read_action_list(fields.get("actions"), "actions", catalogue, report);
    let individual = fields.get("individual").and_then(|node| report.read_bool(node, "individual"));
    let Some(name_node) = fields.get("name") else {
        report.add_problem(
            node.span,
            "this step has no `name`",
            "a step is `{name: …, actions: […]}`",
        );
        return None;
    };
    let name = StepName::parse(report.read_text(name_node, "name")?).map_err(|error| {
        report.add_problem(name_node.span, error.to_string(), "name the step in one word");
    });
    let consent = match individual {
        Some(true) => StepConsent::Individual,
        Some(false) | None => StepConsent::OfTheRun,
    };
    Some(StepRule { name: name.ok()?, actions, consent })
}

/// The operator approves a run by its declared actions, so a step may not name any other.
fn refuse_undeclared_actions(
    list: Option<&DocumentNode>,
    step: &StepRule,
    declared: &HashSet<&str>,
    report: &mut ProblemReport,
) {
    let known: HashSet<_> = step.actions.iter().map(Action::as_str).collect();
    let Some(NodeValue::List(items)) = list.map(|list| &list.value) else { return };
    for item in items {
        let NodeValue::String(name) = &item.value else { continue };
        if known.contains(name.as_str()) && !declared.contains(name.as_str()) {
            let message = format!(
                "the step `{}` names `{name}`, which its workflow does not declare",
                step.name
            );
            report.add_problem(item.span, message, "add it to the workflow's `actions`");
        }
    }
}
