//! Whether one grant matches one action of a call, and whether it can be used now.
//!
//! `candidates` chooses among the grants that match.
//!
//! See docs/decisions/0041-identical-calls-folders-and-choices.md.

use super::action_context::{ActionContext, DecisionMode};
use super::candidates::Usability;
use super::decided_actions::{
    are_existing_programs_pinned, are_readable_programs_pinned, find_changed_files,
};
use super::heads::{allows_heads, covers_head};
use super::outside_reads::covers_outside_read;
use crate::model::call::Part;
use crate::model::command::Command;
use crate::model::command::is_granted_argv;
use crate::model::grant::{Coverage, Grant, GrantState, Owner, Scope, Source};
use crate::model::limits;
use crate::model::names::Action;
use crate::model::place::{Bound, Place};
use crate::model::rule_results::FolderPlace;
use crate::model::run::{Run, RunState};
use crate::model::time::Span;
use crate::model::words::Risk;
use crate::state::Session;

pub(crate) fn is_exact(q: &ActionContext, grant: &Grant) -> bool {
    // A yes to the call's own action is one to the classes of its commands, which count once the
    // programs are pinned: the person saw the same call.
    let is_same = |action: &Action| {
        let stands_in = q.is_of_class() && !q.is_added_by_danger();
        *action == q.action || (stands_in && q.call.actions.contains(action))
    };
    matches!(&grant.coverage, Coverage::Digest { digest, action }
        if *digest == q.call.digest && is_same(action))
        && are_readable_programs_pinned(q.facts, q.call)
        && find_changed_files(q.facts, q.call).is_empty()
}

/// Whether a grant covers this action of the call, apart from the risk and the grant's state.
pub(crate) fn matches(q: &ActionContext, grant: &Grant) -> bool {
    let named = match &grant.coverage {
        Coverage::Digest { .. } => is_exact(q, grant),
        Coverage::Command { argv, cwd, action } => {
            action.as_ref().is_none_or(|action| *action == q.action)
                && is_command(q, argv)
                && is_granted_folder(q, grant, cwd.as_deref())
        }
        Coverage::Head { .. } => {
            q.heads().iter().any(|head| covers_head(q, grant, head)) && allows_heads(q)
        }
        Coverage::Action(action) => *action == q.action || covers_outside_read(q, grant, action),
        Coverage::Category(category) => q.covered_categories().any(|c| c == category),
        Coverage::Run { run, carries, beyond } => {
            // Actions in `beyond` match only for the reason `too_risky_to_carry`: their risk is
            // above what a run grant covers.
            Some(*run) == q.call.run
                && (carries.contains(&q.action)
                    || (beyond.contains(&q.action) && q.risk > Risk::Moderate))
        }
        Coverage::Class { .. } | Coverage::Program(_) => false,
        Coverage::Everything => true,
        Coverage::Step { action, commands } => *action == q.action && is_planned(q, commands),
    };
    named
        && is_narrow_enough(q, grant)
        && grant.agent == q.call.agent
        && reaches_place(q, grant)
        && is_within_bounds(q, grant)
        && is_in_run(q, grant)
        && is_usable_in_mode(q, grant)
        && !is_ruled_out(q, grant)
}

/// Only what names the exact call or command covers code from elsewhere.
fn is_narrow_enough(q: &ActionContext, grant: &Grant) -> bool {
    let names_line = matches!(grant.coverage, Coverage::Digest { .. } | Coverage::Command { .. });
    names_line || !q.runs_foreign_code()
}

/// Whether the grant reaches the places of the action. One that names the action of a place does;
/// any other only what its card showed.
pub(crate) fn reaches_place(q: &ActionContext, grant: &Grant) -> bool {
    let is_shown = |place: &Place| !place.is_kept_apart() || grant.places.contains(place);
    let names_action = match &grant.coverage {
        Coverage::Digest { .. } | Coverage::Action(_) | Coverage::Head { .. } => true,
        Coverage::Run { .. } | Coverage::Step { .. } => true,
        Coverage::Command { action, .. } => action.is_some(),
        Coverage::Category(_) | Coverage::Everything => false,
        Coverage::Class { .. } | Coverage::Program(_) => false,
    };
    q.places().iter().all(is_shown) && (names_action || !q.stands_for_place())
}

/// Whether the action acts where the grant holds. A grant that names the exact call says so by
/// itself; one that names the command does not say where a remote leads.
fn is_within_bounds(q: &ActionContext, grant: &Grant) -> bool {
    match (&grant.coverage, &grant.within, q.part) {
        // A head holds where its own command acts.
        (_, _, Part::Declared)
        | (Coverage::Digest { .. } | Coverage::Head { .. }, _, Part::Named) => true,
        (Coverage::Command { .. }, bounds, Part::Named) => {
            Bound::cover_command(bounds.as_deref(), q.within())
        }
        (Coverage::Action(action), Some(bounds), Part::Named) => {
            Bound::cover(bounds, q.within()) || covers_outside_read(q, grant, action)
        }
        (_, Some(bounds), Part::Named) => Bound::cover(bounds, q.within()),
        (_, None, Part::Named) => true,
    }
}

fn is_command(q: &ActionContext, granted: &[String]) -> bool {
    match &q.call.command {
        Some(Command::Plain { argv, .. }) => {
            q.part == Part::Named
                && is_granted_argv(granted, argv)
                && are_existing_programs_pinned(q.facts, q.call)
        }
        Some(Command::NotPlain { .. }) | None => false,
    }
}

/// Whether a grant of a command covers the folder of the call. A standing command that names no
/// folder covers every folder inside the workspace; an answer covers the folder that it showed, and for
/// a project the same folder of every worktree.
fn is_granted_folder(q: &ActionContext, grant: &Grant, granted: Option<&str>) -> bool {
    let cwd = q.call.command.as_ref().and_then(Command::cwd);
    let is_inside = q.facts.ruled.folder == FolderPlace::InWorkspace;
    let is_same_in_project = || {
        granted.is_some()
            && matches!(grant.owner, Owner::Project(_))
            && q.call.folder_in_project().as_deref() == granted
    };
    cwd == granted
        || (grant.source == Source::Standing && granted.is_none() && is_inside)
        || is_same_in_project()
}

/// Whether a plan covers the call's command line, if it has one: only if the plan names it.
fn is_planned(q: &ActionContext, commands: &[Vec<String>]) -> bool {
    match &q.call.command {
        Some(Command::Plain { argv, .. }) => commands.contains(argv),
        Some(Command::NotPlain { .. }) => false,
        None => true,
    }
}

/// Consent for a task covers only calls that name its run.
fn is_in_run(q: &ActionContext, grant: &Grant) -> bool {
    grant.scope != Scope::Run || (grant.run.is_some() && grant.run == q.call.run)
}

/// Whether a retry may use the grant: only if it names the call, command or action, or if an answer
/// to the call's own request minted it.
fn is_usable_in_mode(q: &ActionContext, grant: &Grant) -> bool {
    if q.mode != DecisionMode::Retry {
        return true;
    }
    let individual = match grant.coverage {
        Coverage::Digest { .. } | Coverage::Command { .. } | Coverage::Action(_) => {
            grant.scope != Scope::Run && grant.source != Source::Import
        }
        Coverage::Head { .. }
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Step { .. }
        | Coverage::Everything
        | Coverage::Program(_) => false,
    };
    individual || is_own_answer(q, grant)
}

pub(crate) fn is_own_answer(q: &ActionContext, grant: &Grant) -> bool {
    let record = q.facts.state.calls.get(&q.call.id);
    grant.request.is_some_and(|id| record.is_some_and(|record| record.requests.contains(&id)))
}

/// Whether a failure or an accepted plan rules the grant out. Consent for a task covers neither
/// another attempt after a failure nor an action outside of the plan. A plan does not cover another
/// attempt either.
fn is_ruled_out(q: &ActionContext, grant: &Grant) -> bool {
    let session = || q.facts.state.open_session(&q.call.session, q.facts.now);
    match grant.source {
        Source::Category => {
            session().is_some_and(|s| is_another_attempt(q, s) || is_outside_plan(q, s))
        }
        Source::Plan => session().is_some_and(|session| is_another_attempt(q, session)),
        Source::Answer | Source::Ahead | Source::Standing | Source::Run | Source::Import => false,
    }
}

/// If the list of failures is full, any call could be another attempt, except at a failure listed.
fn is_another_attempt(q: &ActionContext, session: &Session) -> bool {
    let is_listed = || session.failures.iter().any(|failure| failure.digest == q.call.digest);
    let is_full = session.failures.len() >= limits::FAILURES_PER_SESSION;
    (is_full && !is_listed())
        || session.failures.iter().any(|failure| {
            failure.action == q.action
                && failure.target.is_of(q.call)
                && failure.digest != q.call.digest
        })
}

/// Whether an accepted plan is in progress and does not name the action.
fn is_outside_plan(q: &ActionContext, session: &Session) -> bool {
    !session.accepted.is_empty() && !session.accepted.contains(&q.action)
}

pub(crate) fn usability(q: &ActionContext, grant: &Grant) -> Usability {
    match &grant.state {
        GrantState::Reserved { .. } | GrantState::Spent | GrantState::Revoked => {
            Usability::Unusable
        }
        GrantState::Released { only } if *only != q.call.digest => Usability::Unusable,
        GrantState::Ended => Usability::Ended,
        GrantState::Live | GrantState::Released { .. } => {
            if grant.is_over(q.facts.now) || is_run_over(q, grant) {
                Usability::Ended
            } else if grant.scope == Scope::Project && is_due_for_review(q, grant) {
                Usability::Lapsed
            } else if grant.scope == Scope::Run {
                usability_of_run_grant(q, grant)
            } else {
                Usability::Live
            }
        }
    }
}

/// Whether the grant's run is over, even if no sweep has recorded it yet.
fn is_run_over(q: &ActionContext, grant: &Grant) -> bool {
    let run = grant.run.and_then(|id| q.facts.state.runs.get(&id));
    run.is_some_and(|run| run.is_over(q.facts.now))
}

/// The grant of a suspended run is unusable until the run is reattached.
fn usability_of_run_grant(q: &ActionContext, grant: &Grant) -> Usability {
    let run = grant.run.and_then(|id| q.facts.state.runs.get(&id));
    match run {
        Some(run) if run.state == RunState::Suspended => Usability::Unusable,
        // In a long run, consent has to be confirmed again now and then.
        Some(run) if needs_confirmation(q, grant, run) => Usability::Ended,
        Some(_) => Usability::Live,
        None => Usability::Unusable,
    }
}

fn needs_confirmation(q: &ActionContext, grant: &Grant, run: &Run) -> bool {
    grant.is_for_task() && run.is_due(q.facts.state.turn(&q.call.session, q.facts.now))
}

fn is_due_for_review(q: &ActionContext, grant: &Grant) -> bool {
    q.facts.now >= grant.reviewed_at + Span::days(i64::from(q.graph.review_days))
}
