//! Which grants match a question, the status of each grant at this time, and the risk it can carry.

use super::heads::are_heads_covered;
use super::lookups::find_tool_mapping;
use super::pins::{are_programs_pinned, belongs_to};
use super::question::{ActionQuestion, risk_floor};
use super::situation::{find_target, has_changed_files, is_run_over};
use countersign_core::model::call::{Definition, Part};
use countersign_core::model::category::Category;
use countersign_core::model::command::Command;
use countersign_core::model::danger::{Danger, DangerKind};
use countersign_core::model::grant::{
    Confirmation, Coverage, Grant, GrantState, Owner, Scope, Source,
};
use countersign_core::model::graph::Repeat;
use countersign_core::model::limits;
use countersign_core::model::names::Action;
use countersign_core::model::place::{ActionOrigin, Bound, GitRepository, PinnedProgram, Place};
use countersign_core::model::rule_results::FolderPlace;
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::time::Span;
use countersign_core::model::words::{Effect, Risk, Tier};
use countersign_core::state::{CallState, FailedCall};

#[derive(Clone, Copy, PartialEq, Eq)]
enum GrantStatus {
    Usable,
    /// A project grant whose review is due.
    ReviewDue,
    /// Ended by time, with its run, or because a long run needs a new confirmation.
    Ended,
    /// Used, revoked, or suspended.
    Unusable,
}
use GrantStatus::{Ended, ReviewDue, Unusable, Usable};

pub fn has_grant_for_call(q: &ActionQuestion) -> bool {
    let is_exact = |g: &Grant| matches!(g.coverage, Coverage::Digest { .. });
    has_grant(q, |g| is_exact(g) && covers_alone(q, g) && can_carry(q, g))
}

/// An answer to a request about this very record.
fn has_answer_for_record(q: &ActionQuestion) -> bool {
    let own = |id| q.record.is_some_and(|record| record.requests.contains(&id));
    let is_exact = |g: &Grant| matches!(g.coverage, Coverage::Digest { .. });
    has_grant(q, |g| {
        is_exact(g) && g.request.is_some_and(own) && covers_alone(q, g) && can_carry(q, g)
    })
}

pub fn may_have_run(q: &ActionQuestion) -> bool {
    let in_doubt = q.record.is_some_and(|r| r.state == CallState::Ended(Effect::Unknown));
    in_doubt
        && !has_answer_for_record(q)
        && !find_tool_mapping(q.graph, q.call)
            .is_some_and(|mapping| mapping.repeat == Repeat::Idempotent)
}

pub fn has_grant_for_command(q: &ActionQuestion) -> bool {
    let is_command = |g: &Grant| matches!(g.coverage, Coverage::Command { .. });
    has_grant(q, |g| is_command(g) && covers_alone(q, g) && can_carry(q, g))
}

/// The tool changed, and no grant was given after the operator saw the change.
pub fn has_unseen_definition(q: &ActionQuestion) -> bool {
    let own = |id| q.record.is_some_and(|record| record.requests.contains(&id));
    let hash = q.call.observed.definition_hash.clone();
    let now = q.call.tool.clone().zip(hash);
    let now = now.map(|(tool, definition)| Bound::ToolAs { tool, definition });
    let names_it = |g: &Grant| g.within.iter().flatten().any(|bound| Some(bound) == now.as_ref());
    q.call.observed.definition != Definition::AsPinned
        && !is_covered(q, |g, risk| {
            can_carry_risk(q, g, risk) && (g.request.is_some_and(own) || names_it(g))
        })
}

pub fn is_granted(q: &ActionQuestion) -> bool {
    is_covered(q, |g, risk| can_carry_risk(q, g, risk))
}

/// Plan steps come before project grants and grants for everything.
pub fn is_granted_before_plans(q: &ActionQuestion) -> bool {
    is_covered(q, |g, risk| match (&g.coverage, g.scope) {
        (Coverage::Step { .. }, _) | (_, Scope::Project) => false,
        (Coverage::Everything, scope) if scope != Scope::Once => false,
        _ => can_carry_risk(q, g, risk),
    })
}

pub fn is_in_plan(q: &ActionQuestion) -> bool {
    let is_step = |g: &Grant| matches!(g.coverage, Coverage::Step { .. });
    has_grant(q, |g| is_step(g) && covers_alone(q, g) && can_carry(q, g))
}

/// Live grants match, at any risk.
pub fn has_matching_grant(q: &ActionQuestion) -> bool {
    is_covered(q, |g, _| grant_status(q, g) == Usable)
}

pub fn has_grant_due_for_review(q: &ActionQuestion) -> bool {
    is_covered(q, |g, risk| {
        matches!(grant_status(q, g), Usable | ReviewDue) && risk <= risk_ceiling(g)
    })
}

pub fn has_ended_grant(q: &ActionQuestion) -> bool {
    is_covered(q, |g, risk| matches!(grant_status(q, g), Usable | Ended) && risk <= risk_ceiling(g))
}

/// One accepted grant covers the question alone, or one accepted grant covers each category above
/// read-only. In the second case no category may rest on the agent's claim alone.
fn is_covered(q: &ActionQuestion, is_accepted: impl Fn(&Grant, Risk) -> bool) -> bool {
    let ruled = q.rule.map_or(&[][..], |rule| &rule.categories);
    let (given, claimed) = match q.part {
        Part::Named => (q.given_categories(), &q.call.claims.categories[..]),
        Part::Declared => (&[][..], &[][..]),
    };
    let all = ruled.iter().chain(given).chain(claimed);
    let needed: Vec<&Category> = all.filter(|c| risk_floor(c) > Risk::ReadOnly).collect();
    let names = |g: &Grant, c: &Category| matches!(&g.coverage, Coverage::Category(n) if n == c);
    let together = needed.iter().all(|category| {
        let is_ours = ruled.contains(category) || given.contains(category);
        is_ours && has_grant(q, |g| names(g, category) && is_accepted(g, q.risk))
    });
    has_grant(q, |g| covers_alone(q, g) && is_accepted(g, q.risk))
        || (together && !needed.is_empty())
        || (are_all_pinned(q)
            && are_heads_covered(q, |g, risk| is_applicable(q, g) && is_accepted(g, risk)))
}

/// Whether a grant fits that belongs to this agent and to this session or its project, is valid in
/// this call's run and, on a retry, is valid for retries.
fn has_grant(q: &ActionQuestion, fits: impl Fn(&Grant) -> bool) -> bool {
    q.facts.state.grants.iter().any(|grant| is_applicable(q, grant) && fits(grant))
}

fn is_applicable(q: &ActionQuestion, grant: &Grant) -> bool {
    let in_its_run = grant.scope != Scope::Run || grant.run == q.call.run;
    belongs_to(q.call, grant)
        && in_its_run
        && is_valid_for_retry(q, grant)
        && reaches_places(q, grant)
        && is_within_bounds(q, grant)
        && covers_foreign_code(q, grant)
}

/// Code from elsewhere runs only by a yes to this very call or command.
fn covers_foreign_code(q: &ActionQuestion, grant: &Grant) -> bool {
    let mut dangers = q.decided.findings.iter().flat_map(|found| &found.dangers);
    match grant.coverage {
        Coverage::Digest { .. } | Coverage::Command { .. } => true,
        _ => !dangers.any(|danger| danger.kind == DangerKind::ForeignCode),
    }
}

/// The operator saw every place that needs it, and a grant that names no action covers none that
/// stands for a place.
fn reaches_places(q: &ActionQuestion, grant: &Grant) -> bool {
    let is_shown = |place: &Place| *place == Place::ReadOutside || grant.places.contains(place);
    let names_action = match &grant.coverage {
        Coverage::Digest { .. } | Coverage::Head { .. } | Coverage::Action(_) => true,
        Coverage::Run { .. } | Coverage::Step { .. } => true,
        Coverage::Command { action, .. } => action.is_some(),
        Coverage::Category(_) | Coverage::Everything => false,
        Coverage::Class { .. } | Coverage::Program(_) => false,
    };
    q.decided.places.iter().all(is_shown) && (names_action || !q.decided.stands_for_place)
}

/// The call acts only where the grant holds. What a call declares has not happened anywhere yet.
fn is_within_bounds(q: &ActionQuestion, grant: &Grant) -> bool {
    // A head holds where its own command acts.
    let is_checked_apart =
        matches!(grant.coverage, Coverage::Digest { .. } | Coverage::Head { .. });
    if q.part == Part::Declared || is_checked_apart {
        return true;
    }
    if let Coverage::Action(action) = &grant.coverage
        && is_read_beside_granted_one(q, grant, action)
    {
        return true;
    }
    let acts: Vec<&Bound> = q.decided.findings.iter().flat_map(|found| &found.within).collect();
    let names_command = matches!(grant.coverage, Coverage::Command { .. });
    // Where a remote leads matters even for the exact command; nothing wider reaches an unknown one.
    let leads_elsewhere = |act: &&&Bound| match (act, &grant.within) {
        (Bound::GitRemote(_), Some(bounds)) if names_command => !bounds.contains(act),
        (Bound::GitRemote(to), None) if names_command => {
            matches!(to.repository, GitRepository::At(_))
        }
        (Bound::GitRemote(to), Some(_)) => to.addresses.is_empty(),
        (Bound::Host(host), Some(_)) if !names_command => host.is_empty(),
        _ => false,
    };
    let is_elsewhere = acts.iter().any(|act| leads_elsewhere(&act));
    let Some(bounds) = grant.within.as_ref().filter(|_| !is_elsewhere && !names_command) else {
        return !is_elsewhere;
    };
    let is_inside = |act: &&Bound| bounds.iter().any(|bound| contains(bound, act));
    if acts.is_empty() { bounds.is_empty() } else { acts.iter().all(is_inside) }
}

/// A yes to reading somewhere outside, for a while, is one to every other reading there that would need
/// no yes inside.
fn is_read_beside_granted_one(q: &ActionQuestion, grant: &Grant, granted: &Action) -> bool {
    let is_free = |action: &Action| {
        let inside = action.as_str().trim_end_matches("_outside_workspace");
        let mut rules = q.graph.rules.iter().filter(|(name, _)| name.as_str() == inside);
        rules.any(|(_, rule)| rule.tier == Tier::Autonomous && rule.risk == Risk::ReadOnly)
    };
    let found = || q.decided.findings.iter();
    let places = &q.decided.places;
    let is_unusual = !q.call.detectors.is_empty()
        || found().any(|one| !one.detectors.is_empty() || one.dangers.iter().any(Danger::raises));
    let acts = found().flat_map(|found| &found.within).filter(|act| **act != Bound::Workspace);
    let acts: Vec<&Bound> = acts.collect();
    let is_granted = |act: &&Bound| match act {
        Bound::Folder(_) | Bound::Path(_) => {
            grant.within.iter().flatten().any(|bound| contains(bound, act))
        }
        _ => false,
    };
    matches!(grant.scope, Scope::Session | Scope::Until)
        && grant.source == Source::Answer
        && q.part == Part::Named
        && (q.call.command.is_none() || q.decided.origin == ActionOrigin::Class)
        && (q.decided.stands_for_place || !places.is_empty())
        && places.iter().all(|place| *place == Place::ReadOutside)
        && !is_unusual
        && !acts.is_empty()
        && acts.iter().all(is_granted)
        && is_free(granted)
        && is_free(q.action)
}

fn contains(bound: &Bound, act: &Bound) -> bool {
    match (bound, act) {
        (Bound::Folder(folder), Bound::Folder(path)) => {
            path == folder || path.starts_with(&format!("{}/", folder.trim_end_matches('/')))
        }
        _ => bound == act,
    }
}

/// A retry may use grants that name the call, command or action, and grants from its own answer.
fn is_valid_for_retry(q: &ActionQuestion, grant: &Grant) -> bool {
    let Some(record) = q.record else { return true };
    let own = grant.request.is_some_and(|request| record.requests.contains(&request));
    let named = match grant.coverage {
        Coverage::Digest { .. } | Coverage::Command { .. } | Coverage::Action(_) => true,
        Coverage::Category(_) | Coverage::Run { .. } | Coverage::Class { .. } => false,
        Coverage::Everything | Coverage::Step { .. } => false,
        Coverage::Head { .. } | Coverage::Program(_) => false,
    };
    own || (named && grant.source != Source::Import && grant.scope != Scope::Run)
}

/// Whether the grant alone covers the question. Category grants are checked together instead.
fn covers_alone(q: &ActionQuestion, grant: &Grant) -> bool {
    match &grant.coverage {
        Coverage::Digest { digest, action } => {
            let is_readable = |program: &PinnedProgram| !program.hash.is_empty();
            // A yes to the call is one to the classes that stand in for its actions.
            let is_class =
                q.decided.origin == ActionOrigin::Class && q.action.as_str() != "system.destroy";
            let is_same = action == q.action || (is_class && q.call.actions.contains(action));
            let is_as_shown =
                are_programs_pinned(q.facts, q.call, is_readable) && !has_changed_files(q);
            *digest == q.call.digest && is_same && is_as_shown
        }
        Coverage::Command { argv, cwd, action } => {
            let for_action = action.as_ref().is_none_or(|action| action == q.action);
            // Said without a folder, a standing command is for the whole workspace.
            let anywhere = cwd.is_none() && grant.source == Source::Standing;
            let inside = anywhere && q.facts.ruled.folder == FolderPlace::InWorkspace;
            let here = q.call.command.as_ref().and_then(Command::cwd);
            let same_in_worktree = is_same_folder_of_project(q, grant, cwd.as_deref());
            let here = here.filter(|_| inside || same_in_worktree);
            let cwd = here.or(cwd.as_deref());
            let exists = |program: &PinnedProgram| !program.is_absent();
            let is_performed =
                q.part == Part::Named && are_programs_pinned(q.facts, q.call, exists);
            for_action && is_performed && is_granted_command(q, argv, cwd)
        }
        Coverage::Action(action) => {
            action == q.action || is_read_beside_granted_one(q, grant, action)
        }
        // Actions that the workflow declares but its run cannot carry match, and are too risky.
        Coverage::Run { carries, beyond, .. } => {
            let too_risky = q.risk > Risk::Moderate && beyond.contains(q.action);
            carries.contains(q.action) || too_risky
        }
        Coverage::Everything => true,
        Coverage::Step { action, commands } => {
            let named = match &q.call.command {
                None => true,
                Some(Command::Plain { argv, .. }) => commands.contains(argv),
                Some(Command::NotPlain { .. }) => false,
            };
            action == q.action && named
        }
        Coverage::Category(_) | Coverage::Head { .. } => false,
        Coverage::Class { .. } | Coverage::Program(_) => false,
    }
}

/// A grant of the project names the folder as it is in the main worktree.
fn is_same_folder_of_project(q: &ActionQuestion, grant: &Grant, granted: Option<&str>) -> bool {
    let here = q.call.command.as_ref().and_then(Command::cwd);
    let below =
        here.zip(q.call.folders.root.as_ref()).and_then(|(cwd, root)| cwd.strip_prefix(root));
    let below = below.filter(|below| below.is_empty() || below.starts_with('/'));
    let named = below.zip(q.call.project.as_ref()).map(|(below, of)| format!("{of}{below}"));
    matches!(grant.owner, Owner::Project(_)) && named.is_some() && named.as_deref() == granted
}

fn are_all_pinned(q: &ActionQuestion) -> bool {
    are_programs_pinned(q.facts, q.call, |_| true)
}

fn is_granted_command(q: &ActionQuestion, line: &[String], cwd: Option<&str>) -> bool {
    let Some(Command::Plain { argv, cwd: here }) = &q.call.command else { return false };
    let fits = |w: &str| !w.is_empty() && !w.starts_with(['-', '+']) && !w.contains(':');
    let is_open = |granted: &str| granted.starts_with('<') && granted.ends_with('>');
    let same = |(one, word): (&String, &String)| one == word || (is_open(one) && fits(word));
    line.len() == argv.len() && cwd == here.as_deref() && line.iter().zip(argv).all(same)
}

fn grant_status(q: &ActionQuestion, grant: &Grant) -> GrantStatus {
    let run = grant.run.and_then(|id| q.facts.state.runs.get(&id));
    let run_over = run.is_some_and(|run| is_run_over(q.facts, run));
    let over = run_over || grant.ends_at.is_some_and(|end| q.facts.now >= end);
    let review = grant.reviewed_at + Span::days(i64::from(q.graph.review_days));
    let is_task = grant.source == Source::Category;
    let is_other = (is_task || grant.source == Source::Plan) && is_alternative_after_failure(q);
    match grant.state {
        _ if is_other || (is_task && is_outside_plan(q)) => Unusable,
        GrantState::Spent | GrantState::Revoked | GrantState::Reserved { .. } => Unusable,
        GrantState::Ended => Ended,
        GrantState::Released { only } if only != q.call.digest => Unusable,
        GrantState::Live | GrantState::Released { .. } => match grant.scope {
            _ if over => Ended,
            Scope::Project if q.facts.now >= review => ReviewDue,
            Scope::Run if run.is_none_or(|run| run.state == RunState::Suspended) => Unusable,
            _ if is_task && run.is_some_and(|run| is_confirmation_due(q, run)) => Ended,
            _ => Usable,
        },
    }
}

/// An earlier, different attempt at this action on this target failed and was not resolved.
fn is_alternative_after_failure(q: &ActionQuestion) -> bool {
    let is_this = |f: &FailedCall| f.action == *q.action && f.target == find_target(q.call);
    let is_other = |f: &FailedCall| is_this(f) && f.digest != q.call.digest;
    // A full list may have left failures out.
    let is_full = |failures: &[FailedCall]| {
        let listed = failures.iter().any(|f| f.digest == q.call.digest);
        failures.len() >= limits::FAILURES_PER_SESSION && !listed
    };
    q.has_session_where(|s| s.failures.iter().any(is_other) || is_full(&s.failures))
}

fn is_outside_plan(q: &ActionQuestion) -> bool {
    q.has_session_where(|s| !s.accepted.is_empty() && !s.accepted.contains(q.action))
}

/// At every fiftieth turn of a run the operator has to confirm it again.
fn is_confirmation_due(q: &ActionQuestion, run: &Run) -> bool {
    let turn = q.session.map_or(0, |session| session.turn);
    let fifties = turn.saturating_sub(run.started_turn) / 50 * 50;
    fifties > 0 && run.confirmed_turn < run.started_turn + fifties
}

/// The highest risk a grant can carry: at most the risk shown to the operator, and at most the limit
/// for its kind.
fn risk_ceiling(grant: &Grant) -> Risk {
    let named = matches!(grant.source, Source::Answer | Source::Ahead | Source::Standing);
    let kind = match (&grant.coverage, grant.scope) {
        (Coverage::Digest { .. }, _) => Risk::Critical,
        (Coverage::Everything, _) => Risk::Moderate,
        (_, Scope::Project) if grant.confirmation == Confirmation::Plain => Risk::Moderate,
        _ if named => Risk::High,
        _ => Risk::Moderate,
    };
    kind.min(grant.shown)
}

fn can_carry(q: &ActionQuestion, grant: &Grant) -> bool {
    can_carry_risk(q, grant, q.risk)
}

fn can_carry_risk(q: &ActionQuestion, grant: &Grant, risk: Risk) -> bool {
    grant_status(q, grant) == Usable && risk <= risk_ceiling(grant)
}
