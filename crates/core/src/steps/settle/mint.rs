//! Mints the grants of an approval, by the subject of the request and the choice.

use super::coverage::{
    has_heads, has_open_heads, is_of_class, named_coverage, shown_places, why_only_once,
};
use super::new_grant::{NO_PROJECT, new_grant};
use super::{ItemResult, find_call};
use crate::decide::facts::Facts;
use crate::model::call::{Call, Part};
use crate::model::category::Category;
use crate::model::change::Change;
use crate::model::grant::{Confirmation, Coverage, Grant, Holder, Scope, Source};
use crate::model::graph::Graph;
use crate::model::ids::{GrantId, RequestId, RunId};
use crate::model::imported::ImportedGrant;
use crate::model::names::Action;
use crate::model::place::CommandHead;
use crate::model::request::{Answer, AskAhead, Request, RequestItem, SlashAction, Start, Subject};
use crate::model::run::{Run, RunState};
use crate::model::time::Span;
use crate::model::words::{Choice, Covers, Risk, Tier};
use crate::steps::lift_declines::{lift_declines, lift_shown_target};

const CRITICAL_AHEAD: &str = "only an answer to the call itself allows a critical category";

const ENDED_ELSEWHERE: &str =
    "the grant has already ended in the system it comes from, so nothing is granted";

pub(super) struct MintedGrants {
    pub given: ItemResult,
    pub changes: Vec<Change>,
}

/// Mints the grants for one item's choice.
pub(super) fn mint(
    facts: &Facts,
    request: &Request,
    item: &RequestItem,
    choice: Choice,
    answer: &Answer,
) -> MintedGrants {
    let terms = Terms::new(facts, request, item, choice, answer);
    match &request.subject {
        Subject::Calls(_) => match find_call(facts, request) {
            Some(call) => mint_for_call(&terms, call, item),
            None => terms.finish(None, None, Vec::new()),
        },
        Subject::Ahead(ahead) => mint_for_ahead(&terms, ahead, item),
        Subject::Start(start) => mint_for_start(&terms, start),
        Subject::Standing(coverage) => mint_for_standing(&terms, coverage),
        Subject::Slash(slash) => mint_for_slash(&terms, slash),
        Subject::Imported(imported) => mint_for_import(&terms, imported),
        // The proposal itself is approved, so no grant is needed.
        Subject::Proposal(_) => terms.finish(Some(Scope::Once), None, Vec::new()),
    }
}

/// What all grants of one item have in common.
struct Terms<'a> {
    facts: &'a Facts<'a>,
    request: &'a Request,
    action: Option<Action>,
    shown: Risk,
    choice: Choice,
    confirmation: Confirmation,
    lasts: Option<Span>,
    covers: Option<Covers>,
}

impl<'a> Terms<'a> {
    fn new(
        facts: &'a Facts<'a>,
        request: &'a Request,
        item: &RequestItem,
        choice: Choice,
        answer: &Answer,
    ) -> Self {
        let action = item.action.clone();
        let Answer { proof, lasts, covers, .. } = *answer;
        let confirmation = Confirmation::from_proof(proof);
        Self { facts, request, action, shown: item.risk, choice, confirmation, lasts, covers }
    }

    /// The scope of the choice, and why it differs from the choice if it does.
    fn scope(&self) -> (Scope, Option<&'static str>) {
        match self.choice {
            Choice::Once | Choice::Decline => (Scope::Once, None),
            Choice::Run => (Scope::Run, None),
            Choice::Quarter => (Scope::Until, None),
            Choice::Session => (Scope::Session, None),
            Choice::Project if self.request.project.is_none() => (Scope::Session, Some(NO_PROJECT)),
            Choice::Project => (Scope::Project, None),
        }
    }

    fn grant(&self, coverage: Coverage, scope: Scope, source: Source) -> Grant {
        let holder = Holder {
            session: &self.request.session,
            agent: &self.request.agent,
            project: self.request.project.as_ref(),
        };
        let mut grant = new_grant(self.facts, &holder, coverage, scope, source);
        grant.shown = self.shown;
        grant.confirmation = self.confirmation;
        grant.request = Some(self.request.id);
        if let (Scope::Until, Some(lasts)) = (scope, self.lasts) {
            grant.ends_at = Some(self.facts.now + lasts);
        }
        grant
    }

    /// Whether the run is over. A grant given after its end cannot end with it.
    fn is_over(&self, run: &RunId) -> bool {
        self.facts.state.runs.get(run).is_some_and(|run| run.is_over(self.facts.now))
    }

    fn finish(
        &self,
        granted: Option<Scope>,
        why: Option<&'static str>,
        grants: Vec<Grant>,
    ) -> MintedGrants {
        let ends_at = grants.first().and_then(|grant| grant.ends_at);
        let changes = grants.into_iter().map(|g| Change::GrantMinted { grant: Box::new(g) });
        let given =
            ItemResult { action: self.action.clone(), asked: self.choice, granted, why, ends_at };
        MintedGrants { given, changes: changes.collect() }
    }
}

fn mint_for_call(terms: &Terms, call: &Call, item: &RequestItem) -> MintedGrants {
    let Some(action) = &item.action else { return terms.finish(None, None, Vec::new()) };
    let (scope, why) = terms.scope();
    let named_only_once = match item.part {
        Part::Named => why_only_once(terms.facts.graph, call, action),
        Part::Declared => None,
    };
    let is_by_heads = terms.covers == Some(Covers::Head) && has_heads(item);
    if scope == Scope::Once || (named_only_once.is_some() && !is_of_class(item) && !is_by_heads) {
        let coverage = Coverage::Digest { digest: call.digest, action: action.clone() };
        let mut grant = terms.grant(coverage, Scope::Once, Source::Answer);
        grant.places = shown_places(item);
        grant.run = call.run.filter(|id| !terms.is_over(id));
        let why = named_only_once.filter(|_| scope != Scope::Once);
        return terms.finish(Some(Scope::Once), why, vec![grant]);
    }
    if scope == Scope::Run {
        let grants = mint_for_task(terms, call, item, action);
        return terms.finish(Some(Scope::Run), why, grants);
    }
    let (mut grants, mut lifted) = (Vec::new(), Vec::new());
    for named in named_coverage(terms.facts.graph, (call, item), action, terms.covers) {
        let session = &terms.request.session;
        lifted.extend(lift_declines(terms.facts, session, &named.coverage, scope).changes);
        if let (Coverage::Action(action), Part::Named) = (&named.coverage, item.part) {
            lifted.extend(lift_shown_target(terms.facts, session, (action, call), scope));
        }
        let coverage = match scope {
            Scope::Project => name_in_project(call, named.coverage),
            Scope::Once | Scope::Until | Scope::Run | Scope::Session => named.coverage,
        };
        let mut grant = terms.grant(coverage, scope, Source::Answer);
        grant.places = shown_places(item);
        grant.within = named.within;
        grant.shown = named.shown;
        grants.push(grant);
    }
    let mut minted = terms.finish(Some(scope), why, grants);
    minted.changes.extend(lifted);
    minted
}

/// In a project, the folder of a command is that of every worktree.
fn name_in_project(call: &Call, mut coverage: Coverage) -> Coverage {
    if let Coverage::Command { cwd, .. } = &mut coverage {
        *cwd = call.folder_in_project().or(cwd.take());
    }
    coverage
}

fn mint_for_task(terms: &Terms, call: &Call, item: &RequestItem, action: &Action) -> Vec<Grant> {
    let heads = item.bounds.as_ref().map_or(&[][..], |bounds| &bounds.heads);
    task_coverage(terms.facts.graph, (call, item), action)
        .into_iter()
        .map(|coverage| {
            let is_of_head = |head: &&CommandHead| {
                matches!(&coverage, Coverage::Head { words, .. } if *words == head.words)
            };
            let within = heads.iter().find(is_of_head).map(|head| head.within.clone());
            let mut grant = terms.grant(coverage, Scope::Run, Source::Category);
            grant.within = within;
            grant.run = call.run;
            grant
        })
        .collect()
}

/// What *this task* covers: each category above read-only, in this run; for programs without a table
/// their heads. If only the agent claims a
/// category, category grants could not cover the call, so the action is granted instead.
pub fn task_coverage(
    graph: Option<&Graph>,
    (call, item): (&Call, &RequestItem),
    action: &Action,
) -> Vec<Coverage> {
    let heads = item.bounds.as_ref().map_or(&[][..], |bounds| &bounds.heads);
    // No task needs every program that no table describes.
    if is_of_class(item) && has_open_heads(item) {
        let head = |head: &CommandHead| Coverage::Head {
            words: head.words.clone(),
            action: head.class.as_ref().unwrap_or(action).clone(),
        };
        return heads.iter().map(head).collect();
    }
    let rule = graph.and_then(|graph| graph.rule(action));
    let given = match item.part {
        // A class replaces the categories of the tool mapping.
        Part::Named if is_of_class(item) => &call.observed.categories[..],
        Part::Named => &call.given[..],
        Part::Declared => &[],
    };
    let ruled = rule.map_or(&[][..], |rule| &rule.categories);
    let mut covered: Vec<&Category> =
        ruled.iter().chain(given).filter(|category| category.needs_cover()).collect();
    covered.sort_unstable();
    covered.dedup();
    let claimed_alone = item.part == Part::Named
        && call.claims.categories.iter().any(|c| c.needs_cover() && !covered.contains(&c));
    if covered.is_empty() || claimed_alone {
        vec![Coverage::Action(action.clone())]
    } else {
        covered.into_iter().cloned().map(Coverage::Category).collect()
    }
}

fn mint_for_ahead(terms: &Terms, ahead: &AskAhead, item: &RequestItem) -> MintedGrants {
    if item.risk == Risk::Critical {
        return terms.finish(None, Some(CRITICAL_AHEAD), Vec::new());
    }
    let (scope, why) = terms.scope();
    let coverage = ahead.category.clone().map_or(Coverage::Everything, Coverage::Category);
    let mut grant = terms.grant(coverage, scope, Source::Ahead);
    grant.asked = (ahead.scope != scope).then_some(ahead.scope);
    terms.finish(Some(scope), why, vec![grant])
}

fn mint_for_standing(terms: &Terms, coverage: &Coverage) -> MintedGrants {
    let grant = terms.grant(coverage.clone(), Scope::Session, Source::Standing);
    let mut minted = terms.finish(Some(Scope::Session), None, vec![grant]);
    let session = &terms.request.session;
    minted.changes.extend(lift_declines(terms.facts, session, coverage, Scope::Session).changes);
    minted
}

/// Grants one call of the action. Only the operator can make the gesture itself.
fn mint_for_slash(terms: &Terms, slash: &SlashAction) -> MintedGrants {
    let coverage = Coverage::Action(slash.action.clone());
    let grant = terms.grant(coverage, Scope::Once, Source::Answer);
    terms.finish(Some(Scope::Once), None, vec![grant])
}

/// The grant ends no later than in the system it comes from.
fn mint_for_import(terms: &Terms, imported: &ImportedGrant) -> MintedGrants {
    if imported.ends_at.is_some_and(|end| end <= terms.facts.now) {
        return terms.finish(None, Some(ENDED_ELSEWHERE), Vec::new());
    }
    let (scope, why) = terms.scope();
    let mut grant = terms.grant(imported.coverage.clone(), scope, Source::Import);
    grant.ends_at = match (grant.ends_at, imported.ends_at) {
        (Some(own), Some(elsewhere)) => Some(own.min(elsewhere)),
        (own, elsewhere) => own.or(elsewhere),
    };
    terms.finish(Some(scope), why, vec![grant])
}

fn mint_for_start(terms: &Terms, start: &Start) -> MintedGrants {
    let (scope, why) = terms.scope();
    let coverage =
        Coverage::Class { workflow: start.workflow.clone(), actions: start.actions.clone() };
    let class = (scope != Scope::Once).then(|| terms.grant(coverage, scope, Source::Answer));
    let class_id = class.as_ref().map(|grant| grant.id);
    let mut minted = terms.finish(Some(scope), why, class.into_iter().collect());
    let holder = Holder {
        session: &terms.request.session,
        agent: &terms.request.agent,
        project: terms.request.project.as_ref(),
    };
    let new_run = create_run(terms.facts, &holder, start, Risk::Moderate, class_id);
    minted.changes.extend(new_run.with_request(terms.request.id));
    minted
}

/// A new run, with the grant for the actions that it declares.
pub struct StartedRun {
    pub grant: Grant,
    pub run: Run,
}

impl StartedRun {
    pub fn with_request(mut self, request: RequestId) -> Vec<Change> {
        self.grant.request = Some(request);
        self.changes()
    }

    pub fn changes(self) -> Vec<Change> {
        vec![
            Change::GrantMinted { grant: Box::new(self.grant) },
            Change::RunStarted { run: Box::new(self.run) },
        ]
    }
}

pub fn create_run(
    facts: &Facts,
    holder: &Holder,
    start: &Start,
    shown: Risk,
    class: Option<GrantId>,
) -> StartedRun {
    let (carries, beyond) = start.actions.iter().cloned().partition(|action| {
        facts
            .graph
            .and_then(|graph| graph.rule(action))
            .is_some_and(|rule| rule.risk <= Risk::Moderate && rule.tier != Tier::Blocked)
    });
    let coverage = Coverage::Run { run: start.run, carries, beyond };
    let mut grant = new_grant(facts, holder, coverage, Scope::Run, Source::Run);
    grant.shown = shown;
    grant.run = Some(start.run);
    let run = Run {
        id: start.run,
        session: holder.session.clone(),
        opening: facts.state.next_opening(holder.session, facts.now),
        agent: holder.agent.clone(),
        workflow: start.workflow.clone(),
        actions: start.actions.clone(),
        attendance: start.attendance,
        class,
        started_at: facts.now,
        active_at: facts.now,
        started_turn: facts.state.turn(holder.session, facts.now),
        active_turn: facts.state.turn(holder.session, facts.now),
        confirmed_turn: facts.state.turn(holder.session, facts.now),
        state: RunState::Live,
        step: None,
        grant: Some(grant.id),
        ended_at: None,
        reattach_until: None,
        last_plan_turn: None,
        deviations: 0,
        title: None,
        node: facts.node.clone(),
    };
    StartedRun { grant, run }
}
