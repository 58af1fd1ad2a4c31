//! Describes a scenario as text: the attempt, its rules and the remaining state.

use super::{ComparisonReport, UNREACHABLE_REASONS};
use crate::scenario::{Scenario, ScenarioCall};
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::Reason;
use std::fmt::Write;

/// Debug forms, one per line: the reader of a difference has the code open.
pub fn describe_case(scenario: &Scenario, attempt: &ScenarioCall) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "  now {} ({} µs), surface {}",
        scenario.now,
        scenario.now.micros(),
        scenario.surface
    );
    if let Some(call) = attempted_call(scenario, attempt) {
        match attempt {
            ScenarioCall::New(_) => push_line(&mut text, "call", call),
            ScenarioCall::Retry { session, agent, .. } => {
                push_line(&mut text, "retry by", (session.as_str(), agent.as_str()));
                push_line(&mut text, "record", scenario.state.calls.get(&call.id));
            }
        }
        match &scenario.graph {
            Some(graph) => push_rules(&mut text, graph, call),
            None => push_line(&mut text, "no graph", ()),
        }
    }
    push_line(&mut text, "ruled", &scenario.ruled);
    let state = &scenario.state;
    for (name, session) in state.sessions.iter() {
        push_line(&mut text, name.as_str(), session);
    }
    state.grants.iter().for_each(|grant| push_line(&mut text, "grant", grant));
    state.runs.values().for_each(|run| push_line(&mut text, "run", run));
    state.gestures.values().for_each(|gesture| push_line(&mut text, "gesture", gesture));
    for request in state.requests.values() {
        if attempted_call(scenario, attempt).is_some_and(|call| call.digest == request.digest) {
            push_line(&mut text, "request", request);
        }
    }
    state.declined.iter().for_each(|declined| push_line(&mut text, "declined", declined));
    for record in state.calls.values() {
        if attempted_call(scenario, attempt).is_none_or(|call| call.id != record.call.id) {
            push_line(&mut text, "other record", record);
        }
    }
    text
}

fn push_line(text: &mut String, label: &str, value: impl std::fmt::Debug) {
    let _ = writeln!(text, "  {label}: {value:?}");
}

fn attempted_call<'a>(scenario: &'a Scenario, attempt: &'a ScenarioCall) -> Option<&'a Call> {
    match attempt {
        ScenarioCall::New(call) => Some(call),
        ScenarioCall::Retry { id, .. } => scenario.state.calls.get(id).map(|record| &*record.call),
    }
}

fn push_rules(text: &mut String, graph: &Graph, call: &Call) {
    let mut domains: Vec<&str> = Vec::new();
    for action in call.actions.iter().chain(&call.declares) {
        if !domains.contains(&action.domain()) {
            domains.push(action.domain());
        }
    }
    let unlisted = graph.unclassified;
    push_line(text, "decay, reviewed, unlisted", (graph.decay, &graph.last_reviewed, unlisted));
    for domain in domains {
        push_line(text, domain, graph.domains.get(domain));
        for (action, rule) in graph.rules.iter().filter(|(action, _)| action.domain() == domain) {
            push_line(text, action.as_str(), rule);
        }
    }
    graph.reducers.iter().for_each(|reducer| push_line(text, "reducer", reducer));
    graph.tools.iter().for_each(|tool| push_line(text, "tool", tool));
    graph.workflows.iter().for_each(|workflow| push_line(text, "workflow", workflow));
}

impl std::fmt::Display for ComparisonReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((first, second), difference) in &self.differences {
            let ((outcome, reason), (other, because)) = (first, second);
            writeln!(f, "{} differ: {outcome} {reason} | {other} {because}", difference.count)?;
            writeln!(f, "{}", difference.description)?;
        }
        writeln!(f, "{:<20} {:>10}", "reason", "cases")?;
        for reason in Reason::ALL {
            let count = self.reasons.get(reason).unwrap_or(&0);
            let unreachable = UNREACHABLE_REASONS.iter().find(|(known, _)| known == reason);
            let note = unreachable.map_or(String::new(), |(_, why)| format!("  {why}"));
            writeln!(f, "{reason:<20} {count:>10}{note}")?;
        }
        let kinds = self.differences.len();
        write!(f, "{} cases, {kinds} kinds of difference", self.cases)
    }
}
