//! Steps 7 and 14: which grants carry a call, and which of them are taken.
//!
//! All grants that match are gathered once, in the order of preference. Taking the first that
//! carries alone, or the first few categories that carry together, leaves the others untouched.

use super::matching::{Standing, is_exact, matches, standing};
use super::question::Question;
use crate::model::call::Part;
use crate::model::category::Category;
use crate::model::command::Command;
use crate::model::decision::{Basis, Nearest, Verdict};
use crate::model::grant::{Coverage, Grant, Row};
use crate::model::ids::GrantId;
use crate::model::words::{Reason, Risk};
use crate::state::grants::{Cover, Held, OwnerRef};
use std::cmp::Reverse;

/// Step 7: an answer to exactly this call, for this action.
pub(crate) fn exact(q: &Question) -> Option<Verdict> {
    let grant = q
        .held?
        .naming(Cover::Digest(&q.call.digest))
        .filter(|grant| is_exact(q, grant) && standing(q, grant) == Standing::Live)
        .filter(|grant| grant.carries(q.risk) && grant.agent == q.call.agent)
        .max_by_key(|grant| (grant.granted_at, grant.id))?;
    q.allow(Reason::Granted, Basis::Grants(vec![grant.id]), Nearest::WithoutGrants)
}

/// Steps 14 and 15: a plan is one of the grants, and has a name of its own.
pub(crate) fn granted(q: &Question) -> Option<Verdict> {
    let taken = Candidates::of(q).carrying()?;
    let chosen = taken.first().and_then(|id| q.facts.state.grants.get(*id));
    let planned = chosen.is_some_and(|grant| grant.row() == Row::Plan);
    let reason = if planned { Reason::Plan } else { Reason::Granted };
    q.allow(reason, Basis::Grants(taken), Nearest::WithoutGrants)
}

/// Whether the operator named this exact command, so that it needs no list.
pub(crate) fn by_command(q: &Question) -> bool {
    Candidates::of(q).list.iter().any(|candidate| {
        matches!(candidate.grant.coverage, Coverage::Command { .. })
            && candidate.standing == Standing::Live
            && candidate.grant.carries(q.risk)
    })
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
    /// Gathered when first asked for, because several steps ask and most decisions need none.
    pub fn of<'q>(q: &'q Question<'a>) -> &'q Self {
        q.candidates.get_or_init(|| Self::gathered(q))
    }

    fn gathered(q: &Question<'a>) -> Self {
        let mut found = Self { list: Vec::new(), needed: q.needed_categories(), risk: q.risk };
        for held in holdings(q) {
            for cover in covers(q).into_iter().flatten() {
                found.add(q, held, cover);
            }
            for category in q.covered_categories() {
                found.add(q, held, Cover::Category(category));
            }
        }
        found.list.sort_by_key(|candidate| {
            let grant = candidate.grant;
            (grant.row(), Reverse((grant.granted_at, grant.id)))
        });
        found
    }

    fn add(&mut self, q: &Question<'a>, held: Held<'a>, cover: Cover<'_>) {
        let matching = held.naming(cover).filter(|grant| matches(q, grant));
        self.list.extend(
            matching
                .map(|grant| Candidate { grant, standing: standing(q, grant) })
                .filter(|candidate| candidate.standing != Standing::Unusable),
        );
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
        if self.list.is_empty() {
            return None;
        }
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
                | Coverage::Step { .. }
                | Coverage::Everything => return Some(vec![grant.id]),
            }
        }
        None
    }
}

/// Where to look: the session's grants, then the project's.
fn holdings<'a>(q: &Question<'a>) -> impl Iterator<Item = Held<'a>> + use<'a> {
    let project = q.call.project.as_ref().map(OwnerRef::Project);
    let of_project = project.and_then(|project| q.facts.state.grants.held_by(project));
    [q.held, of_project].into_iter().flatten()
}

/// What to look for beside categories: one lookup for each thing that a grant could name.
fn covers<'q>(q: &'q Question) -> [Option<Cover<'q>>; 6] {
    let argv = match (&q.call.command, q.part) {
        (Some(Command::Plain { argv, .. }), Part::Named) => Some(Cover::Argv(argv)),
        (Some(_) | None, _) => None,
    };
    let digest = Cover::Digest(&q.call.digest);
    let run = q.call.run.as_ref().map(Cover::Run);
    let listed = q.rule.is_some().then_some(Cover::Action(&q.action));
    let patterns = argv.map(|_| Cover::Patterns);
    [Some(digest), argv, patterns, listed, run, Some(Cover::Everything)]
}
