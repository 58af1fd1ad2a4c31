//! Whether a grant in force would spare a question today.

use super::ApprovedRequest;
use countersign_core::model::command::{Command, is_granted_argv};
use countersign_core::model::grant::{Coverage, Grant, Owner, Scope};
use countersign_core::model::place::{Bound, CommandHead};

pub(super) fn is_spared(grants: &[&Grant], approval: &ApprovedRequest<'_>) -> bool {
    grants.iter().any(|grant| spares(grant, approval))
}

fn spares(grant: &Grant, approval: &ApprovedRequest<'_>) -> bool {
    let ApprovedRequest { request, call, item } = approval;
    let is_owner = match &grant.owner {
        Owner::Session(session) => *session == request.session,
        Owner::Project(project) => request.project.as_ref() == Some(project),
        Owner::User => false,
    };
    let bounds = item.bounds.as_deref();
    let acts = bounds.map_or(&[][..], |bounds| &bounds.within);
    let is_named = match &grant.coverage {
        Coverage::Command { argv, cwd, .. } => match &call.command {
            Some(Command::Plain { argv: words, cwd: folder }) => {
                is_granted_argv(argv, words) && (cwd == folder || cwd.is_none())
            }
            Some(Command::NotPlain { .. }) | None => false,
        },
        Coverage::Head { words, action } => {
            let is_covered = |head: &CommandHead| {
                head.words == *words && head.class.as_ref().or(item.action.as_ref()) == Some(action)
            };
            bounds.is_some_and(|b| !b.heads.is_empty() && b.heads.iter().all(is_covered))
        }
        Coverage::Action(action) => item.action.as_ref() == Some(action),
        Coverage::Everything => true,
        Coverage::Digest { .. }
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Step { .. }
        | Coverage::Program(_) => false,
    };
    matches!(grant.scope, Scope::Session | Scope::Project)
        && is_named
        && is_owner
        && grant.agent == request.agent
        && grant.covers_risk(item.risk)
        && is_within(grant, acts)
}

fn is_within(grant: &Grant, acts: &[Bound]) -> bool {
    match (&grant.coverage, &grant.within) {
        (Coverage::Command { .. }, within) => Bound::cover_command(within.as_deref(), acts),
        (_, Some(within)) => Bound::cover(within, acts),
        (_, None) => true,
    }
}
