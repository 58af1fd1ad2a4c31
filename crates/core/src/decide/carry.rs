//! Steps 7 and 14: which grants carry a call, and which of them are taken.
//!
//! All grants that match are gathered once, in the order of preference. Taking the first that
//! carries alone, or the first few categories that carry together, leaves the others untouched.

use super::question::{Question, Travel};
use crate::call::Part;
use crate::category::Category;
use crate::command::Command;
use crate::decision::{Basis, Nearest, Verdict};
use crate::grant::{Coverage, Grant, GrantState, Row, Scope};
use crate::grants::{Cover, OwnerRef};
use crate::ids::GrantId;
use crate::time::Span;
use crate::words::{Reason, Risk};
use std::cmp::Reverse;

/// Step 7: an answer to exactly this call, for this action.
pub(crate) fn exact(q: &Question) -> Option<Verdict> {
    let owner = OwnerRef::Session(&q.call.session);
    let grant = q
        .facts
        .state
        .grants
        .candidates(owner, Cover::Digest(&q.call.digest))
        .filter(|grant| is_exact(q, grant) && standing(q, grant) == Standing::Live)
        .filter(|grant| grant.carries(q.risk) && grant.agent == q.call.agent)
        .max_by_key(|grant| (grant.granted_at, grant.id))?;
    q.allow(Reason::Granted, Basis::Grants(vec![grant.id]), Nearest::WithoutGrants)
}

fn is_exact(q: &Question, grant: &Grant) -> bool {
    matches!(&grant.coverage, Coverage::Digest { digest, action }
        if *digest == q.call.digest && *action == q.action)
}

/// Step 14.
pub(crate) fn granted(q: &Question) -> Option<Verdict> {
    let taken = Candidates::of(q).carrying()?;
    q.allow(Reason::Granted, Basis::Grants(taken), Nearest::WithoutGrants)
}

/// Whether the operator named this exact command, so that it needs no list.
pub(crate) fn by_command(q: &Question) -> bool {
    Candidates::of(q).list.iter().any(|candidate| {
        matches!(candidate.grant.coverage, Coverage::Command { .. })
            && candidate.standing == Standing::Live
            && candidate.grant.carries(q.risk)
    })
}

/// Whether a matching grant can be used now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Live,
    /// A project grant that is due for review.
    Lapsed,
    Ended,
    /// Reserved, spent, revoked, suspended, or kept for another call.
    Unusable,
}

struct Candidate<'a> {
    grant: &'a Grant,
    standing: Standing,
}

/// The matching grants of one question, in the order of preference.
pub(crate) struct Candidates<'a> {
    list: Vec<Candidate<'a>>,
    needed: Vec<&'a Category>,
    risk: Risk,
}

impl<'a> Candidates<'a> {
    pub fn of(q: &Question<'a>) -> Self {
        let needed = q.needed_categories();
        let mut list: Vec<_> = covers(q)
            .flat_map(|cover| owners(q).map(move |owner| (owner, cover)))
            .flat_map(|(owner, cover)| q.facts.state.grants.candidates(owner, cover))
            .filter(|grant| matches(q, grant, &needed))
            .map(|grant| Candidate { grant, standing: standing(q, grant) })
            .filter(|candidate| candidate.standing != Standing::Unusable)
            .collect();
        list.sort_by_key(|candidate| {
            let grant = candidate.grant;
            (grant.row(), Reverse((grant.granted_at, grant.id)))
        });
        Self { list, needed, risk: q.risk }
    }

    fn carrying(&self) -> Option<Vec<GrantId>> {
        self.take(|c| c.standing == Standing::Live && c.grant.carries(self.risk))
    }

    /// Live grants match, but what they were shown with is less than this.
    pub fn live_but_for_risk(&self) -> bool {
        self.take(|c| c.standing == Standing::Live).is_some()
    }

    /// Project grants would carry it, had they been reviewed.
    pub fn lapsed(&self) -> bool {
        self.take(|c| c.standing != Standing::Ended && c.grant.carries(self.risk)).is_some()
    }

    /// Grants carried it until they ended.
    pub fn ended(&self) -> bool {
        self.take(|c| c.standing != Standing::Lapsed && c.grant.carries(self.risk)).is_some()
    }

    /// The first grant that covers alone, or the first categories that cover together.
    fn take(&self, usable: impl Fn(&Candidate) -> bool) -> Option<Vec<GrantId>> {
        let mut missing = self.needed.clone();
        let mut taken = Vec::new();
        for candidate in self.list.iter().filter(|candidate| usable(candidate)) {
            let grant = candidate.grant;
            match &grant.coverage {
                Coverage::Category(category) => {
                    if let Some(at) = missing.iter().position(|needed| *needed == category) {
                        missing.remove(at);
                        taken.push(grant.id);
                        if missing.is_empty() {
                            return Some(taken);
                        }
                    }
                }
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Action(_)
                | Coverage::Run { .. }
                | Coverage::Class { .. }
                | Coverage::Everything => return Some(vec![grant.id]),
            }
        }
        None
    }
}

/// Where to look: one lookup for each thing that a grant could name.
fn covers<'a>(q: &Question<'a>) -> impl Iterator<Item = Cover<'a>> + use<'a> {
    let argv = match (&q.call.command, q.part) {
        (Some(Command::Plain { argv, .. }), Part::Named) => Some(Cover::Argv(argv)),
        (Some(_) | None, _) => None,
    };
    let digest = Cover::Digest(&q.call.digest);
    let run = q.call.run.as_ref().map(Cover::Run);
    let categories: Vec<_> = q.covered_categories().map(Cover::Category).collect();
    let listed = q.rule.is_some().then(|| action_cover(q)).flatten();
    [Some(digest), argv, listed, run, Some(Cover::Everything)]
        .into_iter()
        .flatten()
        .chain(categories)
}

/// The graph's own copy of the name, which lives as long as the facts.
fn action_cover<'a>(q: &Question<'a>) -> Option<Cover<'a>> {
    q.graph.rules.get_key_value(&q.action).map(|(name, _)| Cover::Action(name))
}

fn owners<'a>(q: &Question<'a>) -> impl Iterator<Item = OwnerRef<'a>> + use<'a> {
    let project = q.call.project.as_ref().map(OwnerRef::Project);
    [Some(OwnerRef::Session(&q.call.session)), project].into_iter().flatten()
}

/// Whether a grant names nothing that this call is not.
fn matches(q: &Question, grant: &Grant, needed: &[&Category]) -> bool {
    let named = match &grant.coverage {
        Coverage::Digest { .. } => is_exact(q, grant),
        Coverage::Command { argv, cwd, action } => {
            action.as_ref().is_none_or(|action| *action == q.action)
                && is_command(q, argv, cwd.as_deref())
        }
        Coverage::Action(action) => *action == q.action,
        Coverage::Category(category) => {
            needed.contains(&category) && q.covered_categories().any(|c| c == category)
        }
        Coverage::Run { run, carries, beyond } => {
            // What the workflow declares beyond its grant is matched to say so, never carried.
            Some(*run) == q.call.run
                && (carries.contains(&q.action)
                    || (beyond.contains(&q.action) && q.risk > Risk::Moderate))
        }
        Coverage::Class { .. } => false,
        Coverage::Everything => true,
    };
    named
        && grant.agent == q.call.agent
        && in_its_run(q, grant)
        && travels(q, grant)
        && !is_held_back_by_failure(q, grant)
}

fn is_command(q: &Question, granted: &[String], granted_cwd: Option<&str>) -> bool {
    match &q.call.command {
        Some(Command::Plain { argv, cwd }) => {
            q.part == Part::Named && argv == granted && cwd.as_deref() == granted_cwd
        }
        Some(Command::NotPlain { .. }) | None => false,
    }
}

/// Consent for a task holds only for calls that present its run.
fn in_its_run(q: &Question, grant: &Grant) -> bool {
    grant.scope != Scope::Run || (grant.run.is_some() && grant.run == q.call.run)
}

/// Through time travels what names the thing itself, and what the call's own answer minted.
fn travels(q: &Question, grant: &Grant) -> bool {
    if q.travel != Travel::Redeemed {
        return true;
    }
    let individual = match grant.coverage {
        Coverage::Digest { .. } | Coverage::Command { .. } | Coverage::Action(_) => {
            grant.scope != Scope::Run
        }
        Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything => false,
    };
    individual || is_own_answer(q, grant)
}

fn is_own_answer(q: &Question, grant: &Grant) -> bool {
    let record = q.facts.state.calls.get(&q.call.id);
    grant.request.is_some_and(|id| record.is_some_and(|record| record.requests.contains(&id)))
}

/// After a failure, consent for a task serves the same attempt again, not another one.
fn is_held_back_by_failure(q: &Question, grant: &Grant) -> bool {
    grant.row() == Row::CategoryInRun
        && q.facts.state.sessions.get(&q.call.session).is_some_and(|session| {
            session.failures.iter().any(|failure| {
                failure.action == q.action
                    && failure.target == q.call.target
                    && failure.digest != q.call.digest
            })
        })
}

fn standing(q: &Question, grant: &Grant) -> Standing {
    match &grant.state {
        GrantState::Reserved { .. } | GrantState::Spent | GrantState::Revoked => Standing::Unusable,
        GrantState::Released { only } if *only != q.call.digest => Standing::Unusable,
        GrantState::Ended => Standing::Ended,
        GrantState::Live | GrantState::Released { .. } => {
            if grant.is_over(q.facts.now) {
                Standing::Ended
            } else if grant.scope == Scope::Project && is_due(q, grant) {
                Standing::Lapsed
            } else if grant.scope == Scope::Run {
                of_run(q, grant)
            } else {
                Standing::Live
            }
        }
    }
}

/// A run that idled out has ended; one that waits to be reattached is no ground for anything.
fn of_run(q: &Question, grant: &Grant) -> Standing {
    use crate::run::RunState;
    let run = grant.run.and_then(|id| q.facts.state.runs.get(&id));
    match run {
        Some(run) if run.is_live(q.facts.now) => Standing::Live,
        Some(run) if run.state == RunState::Suspended => Standing::Unusable,
        Some(_) => Standing::Ended,
        None => Standing::Unusable,
    }
}

fn is_due(q: &Question, grant: &Grant) -> bool {
    q.facts.now >= grant.reviewed_at + Span::days(i64::from(q.graph.review_days))
}
