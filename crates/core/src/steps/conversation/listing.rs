//! Lists of standing commands and consent, in the form that the earlier system used.

use super::reset::standing_commands;
use crate::decide::facts::Facts;
use crate::model::command::rendered;
use crate::model::grant::{Coverage, Grant, Scope};
use crate::model::names::SessionKey;
use crate::model::run::Run;
use crate::model::words::Risk;

/// The standing commands, with how often each was used.
pub fn allowlist(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let commands: Vec<&Grant> = standing_commands(facts, session).collect();
    let mut lines = vec!["Session Allowlist:".to_owned()];
    if commands.is_empty() {
        lines.push("- (empty)".into());
    }
    lines.extend(commands.iter().map(|grant| {
        let times = if grant.uses == 1 { "time" } else { "times" };
        format!("- {} (used {} {times})", render_command(grant), grant.uses)
    }));
    lines
}

/// Everything that is consented to in the session.
pub fn consent(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let mut lines = list_grants_of_everything(facts, session);
    lines.extend(allowlist(facts, session));
    let runs = facts.state.runs.values().filter(|run| run.session == *session);
    for run in runs.filter(|run| run.is_live(facts.now)) {
        lines.push(String::new());
        lines.extend(list_workflow(facts, run));
    }
    lines.push(String::new());
    lines.push("To revoke: \"Revoke consent for: <command>\" or \"Revoke all consent\"".into());
    lines
}

/// Grants of everything, which every report lists first.
fn list_grants_of_everything(facts: &Facts, session: &SessionKey) -> Vec<String> {
    let everything = facts.state.grants.iter().filter(|grant| {
        grant.made_in == *session
            && grant.coverage == Coverage::Everything
            && grant.in_force(facts.now)
    });
    everything
        .map(|grant| format!("Everything up to {} is granted ({})", grant.shown, grant.scope))
        .collect()
}

fn list_workflow(facts: &Facts, run: &Run) -> Vec<String> {
    let mine = facts.state.grants.iter().filter(|grant| {
        grant.scope == Scope::Run && grant.run == Some(run.id) && grant.in_force(facts.now)
    });
    let (mut operations, mut risky) = (Vec::new(), 0);
    for grant in mine {
        if let Coverage::Category(category) = &grant.coverage {
            operations.push(format!("{category} (granted turn {})", grant.granted_turn));
        } else if let Coverage::Action(action) = &grant.coverage {
            operations.push(format!("{action} (granted turn {})", grant.granted_turn));
        }
        risky += usize::from(grant.shown >= Risk::High);
    }
    let operations = if operations.is_empty() { "none".to_owned() } else { operations.join(", ") };
    let risky = match risky {
        0 => "- No risky operations consented".to_owned(),
        some => format!("- {some} risky operations consented"),
    };
    vec![
        format!("Current Workflow: \"{}\"", run.workflow),
        format!("- Consented operations: {operations}"),
        risky,
    ]
}

pub(super) fn render_command(grant: &Grant) -> String {
    let Coverage::Command { argv, .. } = &grant.coverage else { return grant.coverage.to_string() };
    rendered(argv)
}
