//! Revokes grants, and ends the runs that rest on them.

use crate::decide::facts::Facts;
use crate::model::category::Category;
use crate::model::change::{Change, Reset};
use crate::model::grant::{Coverage, Grant, Owner};
use crate::model::ids::GrantId;
use crate::model::names::{Action, Project, SessionKey, Workflow};
use crate::model::redaction::redacted_argv;
use crate::model::run::{Run, RunState};
use crate::model::turn::Speaker;
use crate::model::words::RunEnding;
use crate::state::CallRecord;
use crate::steps::sweep::end_run;

/// Which grants the operator revokes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revoke {
    Grants(Vec<GrantId>),
    /// A command, in whatever folder it was granted.
    Command(Vec<String>),
    Action(Action),
    Category(Category),
    /// The class grant and every run under it.
    Workflow(Workflow),
    /// The session's grants and gestures, and the grants of its project.
    All,
}

/// `by` is who says so: the operator, or the adapter or agent that reports the operator's words.
pub fn revoke_grants(
    facts: &Facts,
    session: &SessionKey,
    what: &Revoke,
    by: Speaker,
) -> Vec<Change> {
    let project = facts.state.sessions.get(session).and_then(|open| open.project.as_ref());
    let reached: Vec<&Grant> = facts
        .state
        .grants
        .iter()
        .filter(|grant| is_revocable(facts, grant) && is_selected(facts, grant, what))
        .filter(|grant| matches!(what, Revoke::Grants(_)) || belongs_to(grant, session, project))
        .collect();
    let mut changes: Vec<Change> =
        reached.iter().map(|grant| Change::GrantRevoked { grant: grant.id, by }).collect();
    changes.extend(end_dependent_runs(facts, session, what, &reached));
    if *what == Revoke::All && has_gestures(facts, session) {
        let (session, why) = (session.clone(), Reset::Revocation);
        changes.push(Change::ConsentReset { session, why });
    }
    changes
}

/// Whether the session has a gesture, or a call that rests on one.
fn has_gestures(facts: &Facts, session: &SessionKey) -> bool {
    let clicked =
        |record: &CallRecord| record.call.session == *session && record.consent.gesture.is_some();
    facts.state.gestures.values().any(|gesture| gesture.session == *session)
        || facts.state.calls.values().any(clicked)
}

/// Whether a grant can be revoked: it is in force, or a call still runs on it.
fn is_revocable(facts: &Facts, grant: &Grant) -> bool {
    grant.in_force(facts.now) || facts.state.is_in_use(grant.id)
}

fn is_selected(facts: &Facts, grant: &Grant, what: &Revoke) -> bool {
    match (what, &grant.coverage) {
        (Revoke::All, _) => true,
        (Revoke::Grants(ids), _) => ids.contains(&grant.id),
        (Revoke::Command(argv), Coverage::Command { argv: granted, .. }) => {
            argv == granted || redacted_argv(argv, facts.key) == *granted
        }
        (
            Revoke::Action(action),
            Coverage::Action(granted)
            | Coverage::Head { action: granted, .. }
            | Coverage::Digest { action: granted, .. },
        ) => action == granted,
        (Revoke::Category(category), Coverage::Category(granted)) => category == granted,
        (Revoke::Workflow(name), Coverage::Class { workflow, .. }) => name == workflow,
        (Revoke::Workflow(name), Coverage::Run { run, .. }) => {
            facts.state.runs.get(run).is_some_and(|run| run.workflow == *name)
        }
        (Revoke::Command(_) | Revoke::Action(_) | Revoke::Category(_) | Revoke::Workflow(_), _) => {
            false
        }
    }
}

fn belongs_to(grant: &Grant, session: &SessionKey, project: Option<&Project>) -> bool {
    match &grant.owner {
        Owner::Session(owner) => owner == session,
        Owner::Project(owner) => Some(owner) == project,
        Owner::User => grant.made_in == *session,
    }
}

/// Ends the runs of a revoked workflow, and those that rest on a revoked class or run grant. A run
/// that was answered once rests on no class grant.
fn end_dependent_runs(
    facts: &Facts,
    session: &SessionKey,
    what: &Revoke,
    revoked: &[&Grant],
) -> Vec<Change> {
    let is_named = |run: &Run| {
        run.session == *session && matches!(what, Revoke::Workflow(name) if *name == run.workflow)
    };
    let rests_on = |run: &Run, grant: &Grant| match &grant.coverage {
        Coverage::Run { run: own, .. } => *own == run.id,
        Coverage::Class { .. } => run.class == Some(grant.id),
        Coverage::Digest { .. }
        | Coverage::Command { .. }
        | Coverage::Action(_)
        | Coverage::Category(_)
        | Coverage::Step { .. }
        | Coverage::Everything
        | Coverage::Head { .. }
        | Coverage::Program(_) => false,
    };
    let runs = facts.state.runs.values().filter(|run| {
        !matches!(run.state, RunState::Ended(_))
            && (is_named(run) || revoked.iter().any(|grant| rests_on(run, grant)))
    });
    let ends = runs.flat_map(|run| end_run(facts, run, RunEnding::Revoked));
    ends.filter(|change| !is_end_of(change, revoked)).collect()
}

/// Whether a change ends a grant that is revoked already.
fn is_end_of(change: &Change, revoked: &[&Grant]) -> bool {
    matches!(change, Change::GrantEnded { grant, .. } if revoked.iter().any(|one| one.id == *grant))
}
