//! Shrinks a difference: drops parts of the scenario one by one while the difference remains.

use super::decide_both;
use crate::scenario::{Scenario, ScenarioCall};
use countersign_core::model::ids::CallId;
use countersign_core::state::grants::Grants;

/// Drops every part that the difference does not need.
pub fn shrink_case(scenario: &Scenario, attempt: &ScenarioCall) -> (Scenario, ScenarioCall) {
    let (mut scenario, mut attempt) = (scenario.clone(), attempt.clone());
    let difference = decide_both(&scenario, &attempt);
    let remains =
        |scenario: &Scenario, attempt: &ScenarioCall| decide_both(scenario, attempt) == difference;
    let mut smaller = true;
    while smaller {
        smaller = false;
        for candidate in smaller_scenarios(&scenario, &attempt) {
            if remains(&candidate, &attempt) {
                (scenario, smaller) = (candidate, true);
                break;
            }
        }
        for candidate in smaller_attempts(&attempt) {
            if remains(&scenario, &candidate) {
                (attempt, smaller) = (candidate, true);
                break;
            }
        }
    }
    (scenario, attempt)
}

/// Every scenario that has one part less than this one.
fn smaller_scenarios(scenario: &Scenario, attempt: &ScenarioCall) -> Vec<Scenario> {
    let mut all = Vec::new();
    let mut without = |drop: &dyn Fn(&mut Scenario)| {
        let mut smaller = scenario.clone();
        drop(&mut smaller);
        all.push(smaller);
    };
    for grant in scenario.state.grants.iter() {
        without(&|w| {
            let mut kept = Grants::empty();
            w.state.grants.iter().filter(|g| g.id != grant.id).for_each(|g| kept.insert(g.clone()));
            w.state.grants = kept;
        });
    }
    for id in scenario.state.calls.keys().filter(|id| Some(**id) != retried_call(attempt)) {
        without(&|w| drop(w.state.calls.remove(id)));
    }
    for id in scenario.state.runs.keys() {
        without(&|w| drop(w.state.runs.remove(id)));
    }
    for id in scenario.state.gestures.keys() {
        without(&|w| drop(w.state.gestures.remove(id)));
    }
    for digest in scenario.state.declined.keys() {
        without(&|w| drop(w.state.declined.remove(digest)));
    }
    for name in scenario.state.sessions.keys() {
        without(&|w| drop(w.state.sessions.remove(name)));
    }
    for at in 0..scenario.ruled.findings.len() {
        without(&|w| drop(w.ruled.findings.remove(at)));
    }
    for at in 0..scenario.ruled.programs.len() {
        without(&|w| drop(w.ruled.programs.remove(at)));
    }
    for at in 0..scenario.ruled.run_files.len() {
        without(&|w| drop(w.ruled.run_files.remove(at)));
    }
    for action in scenario.ruled.policies.keys() {
        without(&|w| drop(w.ruled.policies.remove(action)));
    }
    let Some(graph) = &scenario.graph else { return all };
    for action in graph.rules.keys() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.rules.remove(action))));
    }
    for at in 0..graph.reducers.len() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.reducers.remove(at))));
    }
    for at in 0..graph.tools.len() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.tools.remove(at))));
    }
    for name in graph.workflows.keys() {
        without(&|w| w.graph.iter_mut().for_each(|graph| drop(graph.workflows.remove(name))));
    }
    all
}

fn retried_call(attempt: &ScenarioCall) -> Option<CallId> {
    match attempt {
        ScenarioCall::New(_) => None,
        ScenarioCall::Retry { id, .. } => Some(*id),
    }
}

/// Every attempt with one detail less. The digest stays the same, so that grants still match.
fn smaller_attempts(attempt: &ScenarioCall) -> Vec<ScenarioCall> {
    let ScenarioCall::New(call) = attempt else { return Vec::new() };
    let mut all = vec![call.clone(); 9];
    for (at, smaller) in all.iter_mut().enumerate() {
        match at {
            0 => smaller.observed.callers.clear(),
            1 => drop(smaller.declares.pop()),
            2 if smaller.actions.len() > 1 => drop(smaller.actions.pop()),
            3 if smaller.actions.len() > 1 => drop(smaller.actions.remove(0)),
            4 => smaller.observed.parent = None,
            5 => smaller.claims.categories.clear(),
            6 => smaller.claims.risk = None,
            7 => smaller.command = None,
            _ => smaller.run = None,
        }
    }
    all.retain(|smaller| smaller != call);
    all.into_iter().map(ScenarioCall::New).collect()
}
