//! Which grants are about a question, how each one stands at this instant, and what it carries.

use super::question::{Question, floor};
use super::situation::is_over;
use countersign_core::model::call::Part;
use countersign_core::model::category::Category;
use countersign_core::model::command::Command;
use countersign_core::model::grant::{
    Confirmation, Coverage, Grant, GrantState, Owner, Scope, Source,
};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::time::Span;
use countersign_core::model::words::Risk;
use countersign_core::state::{Failure, Mode};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Usable,
    /// A project grant that waits for its review.
    Due,
    /// By time, or with its run; or a long run whose consent is to be confirmed.
    Ended,
    /// Used, revoked, or held back for now.
    Out,
}
use Stand::{Due, Ended, Out, Usable};

pub fn names_this_call(q: &Question) -> bool {
    any(q, |g| matches!(g.coverage, Coverage::Digest { .. }) && covers(q, g) && carries(q, g))
}

/// As an answer to a question about this very record.
pub fn answers_this_record(q: &Question) -> bool {
    let own = |id| q.record.is_some_and(|record| record.requests.contains(&id));
    let is_exact = |g: &Grant| matches!(g.coverage, Coverage::Digest { .. });
    any(q, |g| is_exact(g) && g.request.is_some_and(own) && covers(q, g) && carries(q, g))
}

pub fn names_the_command(q: &Question) -> bool {
    any(q, |g| matches!(g.coverage, Coverage::Command { .. }) && covers(q, g) && carries(q, g))
}

pub fn is_given(q: &Question) -> bool {
    cover(q, |g| carries(q, g))
}

/// Steps of a plan are chosen before project grants and before grants for everything.
pub fn is_given_before_any_plan(q: &Question) -> bool {
    cover(q, |g| match (&g.coverage, g.scope) {
        (Coverage::Step { .. }, _) | (_, Scope::Project) => false,
        (Coverage::Everything, scope) if scope != Scope::Once => false,
        _ => carries(q, g),
    })
}

pub fn is_planned(q: &Question) -> bool {
    any(q, |g| matches!(g.coverage, Coverage::Step { .. }) && covers(q, g) && carries(q, g))
}

/// Live grants are about this, whatever they may carry.
pub fn matches(q: &Question) -> bool {
    cover(q, |g| stand(q, g) == Usable)
}

pub fn waits_for_review(q: &Question) -> bool {
    cover(q, |g| matches!(stand(q, g), Usable | Due) && q.risk <= ceiling(g))
}

pub fn has_ended(q: &Question) -> bool {
    cover(q, |g| matches!(stand(q, g), Usable | Ended) && q.risk <= ceiling(g))
}

/// One good grant covers the question, or one for each category above read-only does: and then
/// none of these categories is only the agent's word.
fn cover(q: &Question, good: impl Fn(&Grant) -> bool) -> bool {
    let ruled = q.rule.map_or(&[][..], |rule| &rule.categories);
    let (given, claimed) = match q.part {
        Part::Named => (&q.call.given[..], &q.call.claims.categories[..]),
        Part::Declared => (&[][..], &[][..]),
    };
    let all = ruled.iter().chain(given).chain(claimed);
    let needed: Vec<&Category> = all.filter(|c| floor(c) > Risk::ReadOnly).collect();
    let names = |g: &Grant, c: &Category| matches!(&g.coverage, Coverage::Category(n) if n == c);
    let together = needed.iter().all(|category| {
        let is_ours = ruled.contains(category) || given.contains(category);
        is_ours && any(q, |g| names(g, category) && good(g))
    });
    any(q, |g| covers(q, g) && good(g)) || (together && !needed.is_empty())
}

/// Any grant of this agent, held in this session or its project, that serves this call's run and
/// that a redeemed call may take along.
fn any(q: &Question, fits: impl Fn(&Grant) -> bool) -> bool {
    q.facts.state.grants.iter().any(|grant| {
        let held = match &grant.owner {
            Owner::Session(session) => *session == q.call.session,
            Owner::Project(project) => Some(project) == q.call.project.as_ref(),
        };
        let in_its_run = grant.scope != Scope::Run || grant.run == q.call.run;
        held && grant.agent == q.call.agent && in_its_run && travels(q, grant) && fits(grant)
    })
}

/// Through time travels what names the thing itself, and what the call's own answer minted.
fn travels(q: &Question, grant: &Grant) -> bool {
    let Some(record) = q.record else { return true };
    let own = grant.request.is_some_and(|request| record.requests.contains(&request));
    let named = match grant.coverage {
        Coverage::Digest { .. } | Coverage::Command { .. } | Coverage::Action(_) => true,
        Coverage::Category(_) | Coverage::Run { .. } | Coverage::Class { .. } => false,
        Coverage::Everything | Coverage::Step { .. } => false,
    };
    own || (named && grant.source != Source::Import && grant.scope != Scope::Run)
}

/// Whether a grant alone is about this. Categories are looked at together instead.
fn covers(q: &Question, grant: &Grant) -> bool {
    match &grant.coverage {
        Coverage::Digest { digest, action } => *digest == q.call.digest && action == q.action,
        Coverage::Command { argv, cwd, action } => {
            let for_action = action.as_ref().is_none_or(|action| action == q.action);
            for_action && q.part == Part::Named && is_that_command(q, argv, cwd.as_ref())
        }
        Coverage::Action(action) => action == q.action,
        // What the workflow declares beyond what its run carries matches, and is too risky.
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
        Coverage::Category(_) | Coverage::Class { .. } => false,
    }
}

fn is_that_command(q: &Question, granted: &[String], folder: Option<&String>) -> bool {
    let Some(Command::Plain { argv, cwd }) = &q.call.command else { return false };
    let mut same = granted.len() == argv.len() && folder == cwd.as_ref();
    for (granted, word) in granted.iter().zip(argv) {
        let fits = !word.is_empty() && !word.starts_with(['-', '+']) && !word.contains(':');
        let open = granted.starts_with('<') && granted.ends_with('>') && fits;
        same = same && (granted == word || open);
    }
    same
}

fn stand(q: &Question, grant: &Grant) -> Stand {
    let run = grant.run.and_then(|id| q.facts.state.runs.get(&id));
    let run_over = run.is_some_and(|run| is_over(q.facts, run));
    let over = run_over || grant.ends_at.is_some_and(|end| q.facts.now >= end);
    let review = grant.reviewed_at + Span::days(i64::from(q.graph.review_days));
    let is_task = grant.source == Source::Category;
    let is_other = (is_task || grant.source == Source::Plan) && is_another_attempt(q);
    match grant.state {
        _ if is_other || (is_task && leaves_the_plan(q)) => Out,
        GrantState::Spent | GrantState::Revoked | GrantState::Reserved { .. } => Out,
        GrantState::Ended => Ended,
        GrantState::Released { only } if only != q.call.digest => Out,
        GrantState::Live | GrantState::Released { .. } => match grant.scope {
            _ if over => Ended,
            Scope::Project if q.session_has(|s| s.mode == Mode::Stopped) => Out,
            Scope::Project if q.facts.now >= review => Due,
            Scope::Run if run.is_none_or(|run| run.state == RunState::Suspended) => Out,
            _ if is_task && run.is_some_and(|run| is_to_be_confirmed(q, run)) => Ended,
            _ => Usable,
        },
    }
}

/// The same was tried on this target in another way and failed, and nothing came of it since.
fn is_another_attempt(q: &Question) -> bool {
    let is_this = |f: &Failure| f.action == *q.action && f.target == q.call.target;
    let is_other = |f: &Failure| is_this(f) && f.digest != q.call.digest;
    q.session_has(|session| session.failures.iter().any(is_other))
}

fn leaves_the_plan(q: &Question) -> bool {
    q.session_has(|s| !s.accepted.is_empty() && !s.accepted.contains(q.action))
}

/// Fifty turns have passed since the start, or fifty more, and nobody has confirmed since then.
fn is_to_be_confirmed(q: &Question, run: &Run) -> bool {
    let turn = q.session.map_or(0, |session| session.turn);
    let fifties = turn.saturating_sub(run.started_turn) / 50 * 50;
    fifties > 0 && run.confirmed_turn < run.started_turn + fifties
}

/// Nothing above what was shown, and nothing above what such a grant carries at all.
fn ceiling(grant: &Grant) -> Risk {
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

fn carries(q: &Question, grant: &Grant) -> bool {
    stand(q, grant) == Usable && q.risk <= ceiling(grant)
}
