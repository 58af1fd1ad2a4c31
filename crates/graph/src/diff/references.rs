//! Compares reducers, workflows and slash commands: consent that the graph itself gives.

use super::{
    DiffDirection, DiffSubject, Difference, GraphPair, NONE, SubjectDiff, join_names, union_keys,
};
use countersign_core::model::graph::{Graph, StepConsent, WorkflowRule};
use countersign_core::model::names::Action;
use countersign_core::model::words::Risk;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    diff_reducers(graphs, differences);
    diff_slash_commands(graphs, differences);
    for name in union_keys(graphs.old.workflows.keys(), graphs.new.workflows.keys()) {
        let subject = DiffSubject::Workflow(name.to_string());
        let mut out = SubjectDiff { subject, differences: &mut *differences };
        match (graphs.old.workflows.get(name), graphs.new.workflows.get(name)) {
            (Some(old), Some(new)) => diff_workflow(graphs, old, new, &mut out),
            (None, Some(new)) => {
                out.add(
                    "workflows",
                    NONE.to_owned(),
                    join_names(&action_names(&new.actions)),
                    DiffDirection::Looser,
                );
            }
            (Some(old), None) => {
                out.add(
                    "workflows",
                    join_names(&action_names(&old.actions)),
                    NONE.to_owned(),
                    DiffDirection::Stricter,
                );
            }
            (None, None) => {}
        }
    }
}

fn action_names(actions: &[Action]) -> BTreeSet<String> {
    actions.iter().map(ToString::to_string).collect()
}

fn diff_reducers(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let (old, new) = (lowest_reductions(graphs.old), lowest_reductions(graphs.new));
    for key in union_keys(old.keys(), new.keys()) {
        let (caller, action) = key;
        let subject = DiffSubject::Reducer { caller: caller.clone(), action: action.to_string() };
        let mut out = SubjectDiff { subject, differences: &mut *differences };
        // Having no reducer is stricter than having one.
        let strictness =
            |map: &BTreeMap<_, Risk>| map.get(key).map_or((1, None), |risk| (0, Some(*risk)));
        out.compare("reducers", strictness(&old), strictness(&new), |(_, to)| {
            to.map_or(NONE.to_owned(), |risk| risk.to_string())
        });
    }
}

fn lowest_reductions(graph: &Graph) -> BTreeMap<(String, Action), Risk> {
    let mut lowest = BTreeMap::new();
    for reducer in &graph.reducers {
        let key = (reducer.caller.clone(), reducer.action.clone());
        let to = lowest.entry(key).or_insert(reducer.to);
        *to = reducer.to.min(*to);
    }
    lowest
}

fn diff_slash_commands(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    for name in union_keys(graphs.old.slash.keys(), graphs.new.slash.keys()) {
        let mut out = SubjectDiff {
            subject: DiffSubject::Slash(name.clone()),
            differences: &mut *differences,
        };
        let actions =
            |graph: &Graph| graph.slash.get(name).map_or(BTreeSet::new(), |a| action_names(a));
        out.compare_permissions("slash", &actions(graphs.old), &actions(graphs.new));
    }
}

fn diff_workflow(
    graphs: &GraphPair<'_>,
    old: &WorkflowRule,
    new: &WorkflowRule,
    out: &mut SubjectDiff<'_>,
) {
    out.compare_permissions("actions", &action_names(&old.actions), &action_names(&new.actions));
    let (asked_before, asks_now) = (asks_at_start(graphs.old, old), asks_at_start(graphs.new, new));
    let describe = |asks: &bool| if *asks { "asks" } else { "does not ask" }.to_owned();
    out.compare("start", asked_before, asks_now, describe);
    let (before, after) = (individual_consents(old), individual_consents(new));
    if before != after {
        out.add(
            "individual",
            join_names(&before),
            join_names(&after),
            DiffDirection::from_demands(&before, &after),
        );
    }
    let steps = |rule: &WorkflowRule| -> BTreeSet<String> {
        rule.steps
            .iter()
            .map(|step| format!("{}: {}", step.name, join_names(&action_names(&step.actions))))
            .collect()
    };
    let (before, after) = (steps(old), steps(new));
    if before != after {
        out.add("steps", join_names(&before), join_names(&after), DiffDirection::Neither);
    }
}

/// A workflow whose actions are all low starts without approval.
fn asks_at_start(graph: &Graph, workflow: &WorkflowRule) -> bool {
    let risk = |action: &Action| graph.rule(action).map_or(Risk::High, |rule| rule.risk);
    workflow.actions.iter().any(|action| risk(action) > Risk::Low)
}

/// What the grant for a run does not cover: the individual steps and their actions.
fn individual_consents(workflow: &WorkflowRule) -> BTreeSet<String> {
    let steps = workflow.steps.iter().filter(|step| step.consent == StepConsent::Individual);
    steps
        .flat_map(|step| action_names(&step.actions).into_iter().chain([step.name.to_string()]))
        .collect()
}
