//! A world in words: what the attempt is about, and everything that was not dropped.

use super::{Report, UNREACHED};
use crate::world::{Attempt, World};
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::words::Reason;
use std::fmt::Write;

/// Debug forms, one thing to a line: whoever reads this has the code open.
pub fn show(world: &World, attempt: &Attempt) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "  now {} ({} µs), surface {}",
        world.now,
        world.now.micros(),
        world.surface
    );
    if let Some(call) = call(world, attempt) {
        match attempt {
            Attempt::Fresh(_) => line(&mut text, "call", call),
            Attempt::Retry { session, agent, .. } => {
                line(&mut text, "retry by", (session.as_str(), agent.as_str()));
                line(&mut text, "record", world.state.calls.get(&call.id));
            }
        }
        match &world.graph {
            Some(graph) => rules(&mut text, graph, call),
            None => line(&mut text, "no graph", ()),
        }
    }
    let state = &world.state;
    for (name, session) in state.sessions.iter() {
        line(&mut text, name.as_str(), session);
    }
    state.grants.iter().for_each(|grant| line(&mut text, "grant", grant));
    state.runs.values().for_each(|run| line(&mut text, "run", run));
    state.gestures.values().for_each(|gesture| line(&mut text, "gesture", gesture));
    for request in state.requests.values() {
        if call(world, attempt).is_some_and(|call| call.digest == request.digest) {
            line(&mut text, "request", request);
        }
    }
    state.declined.iter().for_each(|declined| line(&mut text, "declined", declined));
    for record in state.calls.values() {
        if call(world, attempt).is_none_or(|call| call.id != record.call.id) {
            line(&mut text, "other record", record);
        }
    }
    text
}

fn line(text: &mut String, what: &str, thing: impl std::fmt::Debug) {
    let _ = writeln!(text, "  {what}: {thing:?}");
}

fn call<'a>(world: &'a World, attempt: &'a Attempt) -> Option<&'a Call> {
    match attempt {
        Attempt::Fresh(call) => Some(call),
        Attempt::Retry { id, .. } => world.state.calls.get(id).map(|record| &*record.call),
    }
}

fn rules(text: &mut String, graph: &Graph, call: &Call) {
    let mut domains: Vec<&str> = Vec::new();
    for action in call.actions.iter().chain(&call.declares) {
        if !domains.contains(&action.domain()) {
            domains.push(action.domain());
        }
    }
    let unlisted = graph.unclassified;
    line(text, "decay, reviewed, unlisted", (graph.decay, &graph.last_reviewed, unlisted));
    for domain in domains {
        line(text, domain, graph.domains.get(domain));
        for (action, rule) in graph.rules.iter().filter(|(action, _)| action.domain() == domain) {
            line(text, action.as_str(), rule);
        }
    }
    graph.reducers.iter().for_each(|reducer| line(text, "reducer", reducer));
    graph.tools.iter().for_each(|tool| line(text, "tool", tool));
    graph.workflows.iter().for_each(|workflow| line(text, "workflow", workflow));
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for ((first, second), difference) in &self.differences {
            let ((outcome, reason), (other, because)) = (first, second);
            writeln!(f, "{} differ: {outcome} {reason} | {other} {because}", difference.count)?;
            writeln!(f, "{}", difference.shown)?;
        }
        writeln!(f, "{:<20} {:>10}", "reason", "cases")?;
        for reason in Reason::ALL {
            let count = self.reasons.get(reason).unwrap_or(&0);
            let whose = UNREACHED.iter().find(|(unreached, _)| unreached == reason);
            let note = whose.map_or(String::new(), |(_, whose)| format!("  {whose}"));
            writeln!(f, "{reason:<20} {count:>10}{note}")?;
        }
        let kinds = self.differences.len();
        write!(f, "{} cases, {kinds} kinds of difference", self.cases)
    }
}
