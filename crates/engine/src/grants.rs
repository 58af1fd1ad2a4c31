//! An operator's side of grants: lists of them, giving one directly, keeping one at its review.
//!
//! No agent-facing room may hand any of this on.

use crate::{
    Engine, EngineError, GrantOwnerFilter, GrantPage, GrantQuery, GrantStatusFilter, ObjectKind,
    ReadScope, RowKey, ScopeKind, Store,
};
use countersign_core::model::change::Change;
use countersign_core::model::grant::Holder;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Owner, Scope};
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::SessionName;
use countersign_core::model::time::Time;
use countersign_core::state::{CallState, State};
use countersign_core::steps::grant_directly::{Withheld, withheld};
use countersign_core::steps::settle::give;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Grants that are looked through at once.
const AT_ONCE: usize = 1_000;

/// What became of something that an operator wants to give.
#[derive(Clone, Debug, PartialEq)]
pub enum Giving {
    /// With why the scope is not the one that was asked for.
    Given(Box<Grant>, Option<&'static str>),
    Withheld(Withheld),
    /// The graph's command rules deny it: by which, or why.
    Denied(String),
    /// No such session is open, so that nobody knows whose grant it would be.
    NoSession,
}

impl<S: Store> Engine<S> {
    /// A page of grants, newest first.
    pub fn grants(&self, listing: &GrantQuery) -> Result<GrantPage, EngineError> {
        self.catch_up(&ReadScope::with_kind(ScopeKind::Everything))?;
        Ok(self.store.list_grants(listing)?)
    }

    /// One grant, whatever has become of it, with the request it answers and the calls beside it.
    pub fn granted(&self, grant: GrantId) -> Result<Arc<State>, EngineError> {
        let need = ReadScope::for_row(RowKey::Grant(grant));
        self.catch_up(&need)?;
        let state = self.store.read(&need)?.state;
        let Some(known) = state.grants.get(grant) else { return Ok(state) };
        let request = known.request.map(RowKey::Request);
        let used = known.used.map(|used| RowKey::Call(used.by));
        let need = need.with_rows(request.into_iter().chain(used));
        Ok(self.store.read(&need)?.state)
    }

    /// Ids of this kind that begin or end like this, so many at most.
    pub fn find(
        &self,
        sought: ObjectKind,
        part: &str,
        most: usize,
    ) -> Result<Vec<String>, EngineError> {
        Ok(self.store.find_ids(sought, part, most)?)
    }

    /// Sessions in which something that was granted is in force or in use.
    pub fn granting(&self) -> Result<BTreeSet<SessionName>, EngineError> {
        let running = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let calls = running.calls.values().filter(|call| call.state == CallState::Executing);
        let mut sessions: BTreeSet<SessionName> =
            calls.map(|record| record.call.session.clone()).collect();
        let mut listing = GrantQuery {
            status: GrantStatusFilter::InForce,
            owner: GrantOwnerFilter::Anyone,
            before: None,
            limit: AT_ONCE,
        };
        loop {
            let page = self.grants(&listing)?;
            let ids = page.grants.iter().filter_map(|id| page.state.grants.get(*id));
            sessions.extend(ids.map(|grant| grant.made_in.clone()));
            let Some(next) = page.next else { return Ok(sessions) };
            listing.before = Some(next);
        }
    }

    /// Gives what an operator names in a session, unless no grant of the kind would carry anything.
    pub fn give(
        &self,
        session: &SessionName,
        coverage: &Coverage,
        terms: (Scope, Option<Time>, Confirmation),
    ) -> Result<Giving, EngineError> {
        if let Some(why) = self.denied_by_rule(coverage)? {
            return Ok(Giving::Denied(why));
        }
        self.transact(&ReadScope::for_session(session), |facts| {
            let Some(open) = facts.state.sessions.get(session) else {
                return (Giving::NoSession, Vec::new());
            };
            let (agent, project) = (&open.agent, open.project.as_ref());
            if let Some(why) = withheld(facts.graph, coverage, (terms.0, terms.2)) {
                return (Giving::Withheld(why), Vec::new());
            }
            let holder = Holder { session, agent, project };
            let (grant, why) = give(facts, &holder, coverage.clone(), terms);
            let change = Change::GrantMinted { grant: Box::new(grant.clone()) };
            (Giving::Given(Box::new(grant), why), vec![change])
        })
    }

    /// Whether rules deny this command wherever it would run.
    fn denied_by_rule(&self, coverage: &Coverage) -> Result<Option<String>, EngineError> {
        let (Coverage::Command { argv, cwd, .. }, Some(in_force)) = (coverage, self.in_force()?)
        else {
            return Ok(None);
        };
        Ok(self.denies(&in_force, argv, cwd.as_deref()))
    }

    /// The operator has looked at these grants of projects and keeps them: their time to the next
    /// review starts anew. Says which of them it reached.
    pub fn keep(&self, grants: &[GrantId]) -> Result<Vec<GrantId>, EngineError> {
        let need = ReadScope::globals().with_rows(grants.iter().copied().map(RowKey::Grant));
        self.transact(&need, |facts| {
            let known = grants.iter().filter_map(|id| facts.state.grants.get(*id));
            let kept = known.filter(|grant| {
                matches!(grant.owner, Owner::Project(_)) && grant.in_force(facts.now)
            });
            let kept: Vec<GrantId> = kept.map(|grant| grant.id).collect();
            let changes = kept.iter().map(|grant| Change::GrantReviewed { grant: *grant });
            let changes = changes.collect();
            (kept, changes)
        })
    }
}
