//! Steps 7, 14 and 15: allows an action that grants cover.
//!
//! The matching grants are collected once, in order of preference. Only the grants that are chosen
//! are used; the others stay as they are.

use super::action_context::{ActionContext, DecisionMode};
use super::candidates::{Candidates, GrantCandidate, HeadSet, Usability};
use super::heads::{covers_head, head_risk, needs_no_grant};
use super::matching::{is_exact, is_own_answer, matches, reaches_place, usability};
use super::outside_reads::reads_outside;
use crate::model::call::Part;
use crate::model::command::Command;
use crate::model::decision::{Basis, NearestChange, Verdict};
use crate::model::grant::{Coverage, Grant, GrantPreference};
use crate::model::place::Bound;
use crate::model::words::Reason;
use crate::state::grants::{Cover, OwnerGrants, OwnerRef};
use std::cmp::Reverse;

/// Step 7: an answer to exactly this call, for this action.
pub(crate) fn allow_exact_grant(q: &ActionContext) -> Option<Verdict> {
    let grant = q
        .session_grants?
        .find_by_key(Cover::Digest(&q.call.digest))
        .filter(|grant| is_exact(q, grant) && usability(q, grant) == Usability::Live)
        .filter(|grant| grant.covers_risk(q.risk) && grant.agent == q.call.agent)
        .filter(|grant| reaches_place(q, grant))
        .max_by_key(|grant| (grant.granted_at, grant.id))?;
    q.allow(Reason::Granted, Basis::Grants(vec![grant.id]), NearestChange::WithoutGrants)
}

/// Steps 14 and 15: a grant covers the action. The step of a plan is a grant with its own reason.
pub(crate) fn allow_granted(q: &ActionContext) -> Option<Verdict> {
    let taken = candidates(q).choose()?;
    let chosen = taken.first().and_then(|id| q.facts.state.grants.get(*id));
    let planned = chosen.is_some_and(|grant| grant.row() == GrantPreference::Plan);
    let reason = if planned { Reason::Plan } else { Reason::Granted };
    q.allow(reason, Basis::Grants(taken), NearestChange::WithoutGrants)
}

/// Whether the operator granted this exact command. Then the action does not have to be listed.
pub(crate) fn has_command_grant(q: &ActionContext) -> bool {
    candidates(q).list.iter().any(|candidate| {
        matches!(candidate.grant.coverage, Coverage::Command { .. })
            && candidate.usability == Usability::Live
            && candidate.grant.covers_risk(q.risk)
    })
}

/// Whether the operator saw the tool's definition as it is now, and allowed more than one call of it.
pub(crate) fn has_grant_of_definition(q: &ActionContext) -> bool {
    candidates(q).cover_with(|grant| is_own_answer(q, grant) || names_definition(q, grant))
}

fn names_definition(q: &ActionContext, grant: &Grant) -> bool {
    let hash = q.call.observed.definition_hash.clone();
    let now = q.call.tool.clone().zip(hash);
    let now = now.map(|(tool, definition)| Bound::ToolAs { tool, definition });
    grant.within.iter().flatten().any(|bound| Some(bound) == now.as_ref())
}

/// The candidates of an action, collected when a step first needs them. Most decisions need none.
pub(crate) fn candidates<'q, 'a>(q: &'q ActionContext<'a>) -> &'q Candidates<'a> {
    q.candidates.get_or_init(|| collect_candidates(q))
}

fn collect_candidates<'a>(q: &ActionContext<'a>) -> Candidates<'a> {
    let mut list = Vec::new();
    // A proposal takes no grant, so none changes its reason either.
    let takes_grants = q.mode != DecisionMode::Proposal;
    for owned in owned_grants(q).filter(|_| takes_grants) {
        for cover in lookup_keys(q).into_iter().flatten() {
            add_matching(&mut list, q, owned, cover);
        }
        for category in q.covered_categories() {
            add_matching(&mut list, q, owned, Cover::Category(category));
        }
        for words in head_words(q) {
            add_matching(&mut list, q, owned, Cover::Head(words));
        }
    }
    list.sort_by_key(|candidate| {
        let grant = candidate.grant;
        (grant.row(), Reverse((grant.granted_at, grant.id)))
    });
    // A read outside is found under its action and as such a read.
    list.dedup_by_key(|candidate| candidate.grant.id);
    let needed_heads = HeadSet::select(q.heads(), |head| !needs_no_grant(q.facts, q.graph, head));
    Candidates { list, needed: q.needed_categories(), needed_heads }
}

/// The words of the heads of a line, each once.
fn head_words<'q>(q: &'q ActionContext) -> Vec<&'q [String]> {
    let mut words: Vec<&[String]> = q.heads().iter().map(|head| head.words.as_slice()).collect();
    words.sort_unstable();
    words.dedup();
    words.retain(|words| !words.is_empty());
    words
}

fn add_matching<'a>(
    list: &mut Vec<GrantCandidate<'a>>,
    q: &ActionContext<'a>,
    owned: OwnerGrants<'a>,
    cover: Cover<'_>,
) {
    let matching = owned.find_by_key(cover).filter(|grant| matches(q, grant));
    list.extend(
        matching
            .map(|grant| make_candidate(q, grant))
            .filter(|candidate| candidate.usability != Usability::Unusable),
    );
}

fn make_candidate<'a>(q: &ActionContext<'a>, grant: &'a Grant) -> GrantCandidate<'a> {
    let usability = usability(q, grant);
    if !matches!(grant.coverage, Coverage::Head { .. }) {
        return GrantCandidate { grant, usability, risk: q.risk, heads: HeadSet::default() };
    }
    let covered = q.heads().iter().filter(|head| covers_head(q, grant, head));
    let risk = covered.map(|head| head_risk(q, head)).max().unwrap_or(q.risk);
    let heads = HeadSet::select(q.heads(), |head| covers_head(q, grant, head));
    GrantCandidate { grant, usability, risk, heads }
}

/// The grants of the session, then those of the project.
fn owned_grants<'a>(q: &ActionContext<'a>) -> impl Iterator<Item = OwnerGrants<'a>> + use<'a> {
    let project = q.call.project.as_ref().map(OwnerRef::Project);
    let project_grants = project.and_then(|project| q.facts.state.grants.held_by(project));
    [q.session_grants, project_grants].into_iter().flatten()
}

/// The index keys to look up, without categories and heads: one for each thing that a grant could name.
fn lookup_keys<'q>(q: &'q ActionContext) -> [Option<Cover<'q>>; 7] {
    let argv = match (&q.call.command, q.part) {
        (Some(Command::Plain { argv, .. }), Part::Named) => Some(Cover::Argv(argv)),
        (Some(_) | None, _) => None,
    };
    let digest = Cover::Digest(&q.call.digest);
    let run = q.call.run.as_ref().map(Cover::Run);
    let listed = q.rule.is_some().then_some(Cover::Action(&q.action));
    let patterns = argv.map(|_| Cover::Patterns);
    let outside = reads_outside(q).then_some(Cover::OutsideActions);
    [Some(digest), argv, patterns, listed, outside, run, Some(Cover::Everything)]
}
