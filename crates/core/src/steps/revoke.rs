//! Revokes grants, and ends the runs that rest on them.

use crate::decide::facts::Facts;
use crate::model::category::Category;
use crate::model::change::Change;
use crate::model::grant::{Coverage, Grant, Owner};
use crate::model::ids::GrantId;
use crate::model::names::{Action, Project, SessionName, Workflow};
use crate::model::run::RunState;
use crate::model::words::RunEnding;
use crate::steps::sweep::end_run;

/// Which grants the operator revokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revoke {
    Grants(Vec<GrantId>),
    Command {
        argv: Vec<String>,
        cwd: Option<String>,
    },
    Action(Action),
    Category(Category),
    /// The class grant and every run under it.
    Workflow(Workflow),
    /// The session's grants and those of its project.
    All,
}

pub fn revoke_grants(facts: &Facts, session: &SessionName, what: &Revoke) -> Vec<Change> {
    let project = facts.state.sessions.get(session).and_then(|open| open.project.as_ref());
    let reached: Vec<&Grant> = facts
        .state
        .grants
        .iter()
        .filter(|grant| is_revocable(facts, grant) && is_selected(facts, grant, what))
        .filter(|grant| matches!(what, Revoke::Grants(_)) || belongs_to(grant, session, project))
        .collect();
    let mut changes: Vec<Change> =
        reached.iter().map(|grant| Change::GrantRevoked { grant: grant.id }).collect();
    changes.extend(end_dependent_runs(facts, &reached));
    changes
}

/// Whether a grant can be revoked: it is in force, or a call still runs on it.
fn is_revocable(facts: &Facts, grant: &Grant) -> bool {
    grant.in_force(facts.now) || facts.state.is_in_use(grant.id)
}

fn is_selected(facts: &Facts, grant: &Grant, what: &Revoke) -> bool {
    match (what, &grant.coverage) {
        (Revoke::All, _) => true,
        (Revoke::Grants(ids), _) => ids.contains(&grant.id),
        (Revoke::Command { argv, cwd }, Coverage::Command { argv: granted, cwd: in_cwd, .. }) => {
            argv == granted && cwd == in_cwd
        }
        (
            Revoke::Action(action),
            Coverage::Action(granted) | Coverage::Digest { action: granted, .. },
        ) => action == granted,
        (Revoke::Category(category), Coverage::Category(granted)) => category == granted,
        (Revoke::Workflow(name), Coverage::Class { workflow, .. }) => name == workflow,
        (Revoke::Workflow(name), Coverage::Run { run, .. }) => {
            facts.state.runs.get(run).is_some_and(|run| run.workflow == *name)
        }
        (
            Revoke::Command { .. } | Revoke::Action(_) | Revoke::Category(_) | Revoke::Workflow(_),
            _,
        ) => false,
    }
}

fn belongs_to(grant: &Grant, session: &SessionName, project: Option<&Project>) -> bool {
    match &grant.owner {
        Owner::Session(owner) => owner == session,
        Owner::Project(owner) => Some(owner) == project,
    }
}

/// Ends the runs that rest on a revoked class or run grant.
fn end_dependent_runs(facts: &Facts, revoked: &[&Grant]) -> Vec<Change> {
    let runs = facts.state.runs.values().filter(|run| {
        !matches!(run.state, RunState::Ended(_))
            && revoked.iter().any(|grant| match &grant.coverage {
                Coverage::Run { run: own, .. } => *own == run.id,
                Coverage::Class { workflow, .. } => {
                    *workflow == run.workflow && grant.made_in == run.session
                }
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Action(_)
                | Coverage::Category(_)
                | Coverage::Step { .. }
                | Coverage::Everything => false,
            })
    });
    let ends = runs.flat_map(|run| end_run(facts, run, RunEnding::Revoked));
    ends.filter(|change| !is_end_of(change, revoked)).collect()
}

/// Whether a change ends a grant that is revoked already.
fn is_end_of(change: &Change, revoked: &[&Grant]) -> bool {
    matches!(change, Change::GrantEnded { grant, .. } if revoked.iter().any(|one| one.id == *grant))
}
