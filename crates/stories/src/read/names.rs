//! Names within a story: given once, and before they are used.

use crate::case::{Does, Revokes, Step};
use countersign_core::model::turn::Speaker;
use countersign_graph::Problem;

pub(super) fn check(steps: &[Step]) -> Vec<Problem> {
    let mut given: Vec<&str> = Vec::new();
    let mut problems = Vec::new();
    for step in steps {
        // A proposal may be submitted again under its name, and a slash command is a gesture.
        given.extend(opens(step));
        for used in used(step).into_iter().filter(|name| !given.contains(name)) {
            let message = format!("nothing before this step is named `{used}`");
            let help = "give the name with `as:` in an earlier step";
            problems.push(Problem::new(step.place, message, help));
        }
        if let Some(name) = gives(step) {
            if given.contains(&name) {
                let message = format!("the name `{name}` is given twice");
                problems.push(Problem::new(step.place, message, "choose another name"));
            }
            given.push(name);
        }
    }
    problems
}

fn opens(step: &Step) -> Vec<&str> {
    match &step.does {
        Does::Propose(propose) => propose.name.as_deref().into_iter().collect(),
        // What an agent reports is none.
        Does::Say { by: Speaker::Agent, .. } => Vec::new(),
        Does::Say { text, .. } => text.trim().strip_prefix('/').map_or_else(Vec::new, |command| {
            let name = command.split_whitespace().next().unwrap_or_default();
            let slash = text.split_whitespace().next().unwrap_or_default();
            vec![name, slash]
        }),
        _ => Vec::new(),
    }
}

fn gives(step: &Step) -> Option<&str> {
    match &step.does {
        Does::Call(call) => call.name.as_deref(),
        Does::AskAhead(ahead) => ahead.name.as_deref(),
        Does::Grant { name, .. } | Does::Import { name, .. } | Does::Start { name, .. } => {
            name.as_deref()
        }
        Does::Gesture { name, .. } => Some(name),
        Does::Plan { name, .. } | Does::Say { name, .. } => name.as_deref(),
        _ => None,
    }
}

fn used(step: &Step) -> Vec<&str> {
    let mut names: Vec<&str> = match &step.does {
        Does::Call(call) => [&call.gesture, &call.parent, &call.run]
            .into_iter()
            .filter_map(|n| n.as_deref())
            .collect(),
        Does::Finish { name, .. }
        | Does::Answer { name, .. }
        | Does::Retry { name, .. }
        | Does::Apply(name)
        | Does::Veto(name)
        | Does::Undo(name)
        | Does::End { name, .. }
        | Does::Reattach(name)
        | Does::Keep(name)
        | Does::Revoke(Revokes::Name(name)) => {
            vec![name]
        }
        Does::Gesture { shows: Some(name), .. } | Does::Start { gesture: Some(name), .. } => {
            vec![name]
        }
        _ => Vec::new(),
    };
    names.extend(step.expect.via.as_deref());
    names
}
