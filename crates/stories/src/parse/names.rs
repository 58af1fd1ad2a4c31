//! Checks the names of a story: each is defined once, and before it is used.

use crate::case::{CaseStep, RevokeTarget, StepKind};
use countersign_core::model::turn::Speaker;
use countersign_graph::Problem;

pub(super) fn check_names(steps: &[CaseStep]) -> Vec<Problem> {
    let mut defined: Vec<&str> = Vec::new();
    let mut problems = Vec::new();
    for step in steps {
        // A proposal may be resubmitted under its name, and a slash command defines a gesture.
        defined.extend(reusable_names(step));
        for name in referenced_names(step).into_iter().filter(|name| !defined.contains(name)) {
            let message = format!("no earlier step defines the name `{name}`");
            let help = "define the name with `as:` in an earlier step";
            problems.push(Problem::new(step.span, message, help));
        }
        if let Some(name) = introduced_name(step) {
            if defined.contains(&name) {
                let message = format!("the name `{name}` is defined twice");
                problems.push(Problem::new(step.span, message, "choose another name"));
            }
            defined.push(name);
        }
    }
    problems
}

/// Names that a step defines and that may be defined more than once.
fn reusable_names(step: &CaseStep) -> Vec<&str> {
    match &step.kind {
        StepKind::Propose(propose) => propose.name.as_deref().into_iter().collect(),
        // A slash command that an agent reports is not a gesture.
        StepKind::Say { speaker: Speaker::Agent, .. } => Vec::new(),
        StepKind::Say { text, .. } => {
            text.trim().strip_prefix('/').map_or_else(Vec::new, |command| {
                let name = command.split_whitespace().next().unwrap_or_default();
                let slash = text.split_whitespace().next().unwrap_or_default();
                vec![name, slash]
            })
        }
        _ => Vec::new(),
    }
}

/// The name that a step defines and that no other step may define.
fn introduced_name(step: &CaseStep) -> Option<&str> {
    match &step.kind {
        StepKind::Call(call) => call.name.as_deref(),
        StepKind::AskAhead(ahead) => ahead.name.as_deref(),
        StepKind::Grant { name, .. }
        | StepKind::Import { name, .. }
        | StepKind::Start { name, .. } => name.as_deref(),
        StepKind::Gesture { name, .. } => Some(name),
        StepKind::Plan { name, .. } | StepKind::Say { name, .. } => name.as_deref(),
        _ => None,
    }
}

fn referenced_names(step: &CaseStep) -> Vec<&str> {
    let mut names: Vec<&str> = match &step.kind {
        StepKind::Call(call) => [&call.gesture, &call.parent, &call.run]
            .into_iter()
            .filter_map(|n| n.as_deref())
            .collect(),
        StepKind::Finish { name, .. }
        | StepKind::Answer { name, .. }
        | StepKind::Retry { name, .. }
        | StepKind::Apply(name)
        | StepKind::Veto(name)
        | StepKind::Undo(name)
        | StepKind::End { name, .. }
        | StepKind::Reattach(name)
        | StepKind::Keep(name)
        | StepKind::Revoke(RevokeTarget::Name(name)) => {
            vec![name]
        }
        StepKind::Gesture { shows: Some(name), .. }
        | StepKind::Start { gesture: Some(name), .. } => {
            vec![name]
        }
        _ => Vec::new(),
    };
    names.extend(step.expect.via.as_deref());
    names
}
