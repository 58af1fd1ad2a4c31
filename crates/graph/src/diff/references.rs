//! Reducers, workflows and slash commands: consent that the graph itself gives.

use super::{Difference, Differences, NONE, Pair, Subject, Turn, either, listed};
use countersign_core::model::graph::{Graph, StepConsent, WorkflowRule};
use countersign_core::model::names::Action;
use countersign_core::model::words::Risk;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    reducers(graphs, found);
    slash(graphs, found);
    for name in either(graphs.old.workflows.keys(), graphs.new.workflows.keys()) {
        let subject = Subject::Workflow(name.to_string());
        let mut out = Differences { subject, found: &mut *found };
        match (graphs.old.workflows.get(name), graphs.new.workflows.get(name)) {
            (Some(old), Some(new)) => workflow(graphs, (old, new), &mut out),
            (None, Some(new)) => {
                out.add("workflows", (NONE.to_owned(), listed(&names(&new.actions))), Turn::Looser);
            }
            (Some(old), None) => {
                out.add(
                    "workflows",
                    (listed(&names(&old.actions)), NONE.to_owned()),
                    Turn::Stricter,
                );
            }
            (None, None) => {}
        }
    }
}

fn names(actions: &[Action]) -> BTreeSet<String> {
    actions.iter().map(ToString::to_string).collect()
}

fn reducers(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    let (old, new) = (lowest(graphs.old), lowest(graphs.new));
    for key in either(old.keys(), new.keys()) {
        let (caller, action) = key;
        let subject = Subject::Reducer { caller: caller.clone(), action: action.to_string() };
        let mut out = Differences { subject, found: &mut *found };
        // No reducer is stricter than any.
        let strictness =
            |map: &BTreeMap<_, Risk>| map.get(key).map_or((1, None), |risk| (0, Some(*risk)));
        out.ordered("reducers", (strictness(&old), strictness(&new)), |(_, to)| {
            to.map_or(NONE.to_owned(), |risk| risk.to_string())
        });
    }
}

fn lowest(graph: &Graph) -> BTreeMap<(String, Action), Risk> {
    let mut lowest = BTreeMap::new();
    for reducer in &graph.reducers {
        let key = (reducer.caller.clone(), reducer.action.clone());
        let to = lowest.entry(key).or_insert(reducer.to);
        *to = reducer.to.min(*to);
    }
    lowest
}

fn slash(graphs: &Pair<'_>, found: &mut Vec<Difference>) {
    for name in either(graphs.old.slash.keys(), graphs.new.slash.keys()) {
        let mut out = Differences { subject: Subject::Slash(name.clone()), found: &mut *found };
        let actions = |graph: &Graph| graph.slash.get(name).map_or(BTreeSet::new(), |a| names(a));
        out.permissions("slash", &actions(graphs.old), &actions(graphs.new));
    }
}

fn workflow(
    graphs: &Pair<'_>,
    (old, new): (&WorkflowRule, &WorkflowRule),
    out: &mut Differences<'_>,
) {
    out.permissions("actions", &names(&old.actions), &names(&new.actions));
    let asks = (start_asks(graphs.old, old), start_asks(graphs.new, new));
    let said = |asks: &bool| if *asks { "asks" } else { "does not ask" }.to_owned();
    out.ordered("start", asks, said);
    let (before, after) = (individual(old), individual(new));
    if before != after {
        out.add("individual", (listed(&before), listed(&after)), Turn::of_demands(&before, &after));
    }
    let steps = |rule: &WorkflowRule| -> BTreeSet<String> {
        rule.steps
            .iter()
            .map(|step| format!("{}: {}", step.name, listed(&names(&step.actions))))
            .collect()
    };
    let (before, after) = (steps(old), steps(new));
    if before != after {
        out.add("steps", (listed(&before), listed(&after)), Turn::Neither);
    }
}

/// A workflow whose actions are all low starts without a question.
fn start_asks(graph: &Graph, workflow: &WorkflowRule) -> bool {
    let risk = |action: &Action| graph.rule(action).map_or(Risk::High, |rule| rule.risk);
    workflow.actions.iter().any(|action| risk(action) > Risk::Low)
}

/// What is outside of the run's grant: the individual steps, and what they list.
fn individual(workflow: &WorkflowRule) -> BTreeSet<String> {
    let steps = workflow.steps.iter().filter(|step| step.consent == StepConsent::Individual);
    steps.flat_map(|step| names(&step.actions).into_iter().chain([step.name.to_string()])).collect()
}
