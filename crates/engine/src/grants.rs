//! Grants as the operator manages them: listing, granting directly, keeping at a review.
//!
//! Only the operator may reach this.

use crate::{
    Engine, EngineError, GrantOwnerFilter, GrantPage, GrantQuery, GrantStatusFilter, ObjectKind,
    ReadScope, RowKey, ScopeKind, Store, limits,
};
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Confirmation, Coverage, Grant, Holder, Owner, Scope};
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_core::state::{CallState, State};
use countersign_core::steps::grant_directly::{DirectGrantRefusal, find_refusal};
use countersign_core::steps::lift_declines::lift_declines;
use countersign_core::steps::settle::create_direct_grant;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A grant that an operator gives without a request.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectGrant {
    pub session: SessionKey,
    pub coverage: Coverage,
    pub scope: Scope,
    pub ends_at: Option<Time>,
    pub confirmation: Confirmation,
    pub if_useless: UselessGrantPolicy,
}

/// What happens to a grant that would never allow a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UselessGrantPolicy {
    /// It looks like consent and is none, so it is refused.
    Refuse,
    /// It is minted all the same. Cases need this: they state what such a grant does not allow.
    Mint,
}

/// What happened to a direct grant.
#[derive(Clone, Debug, PartialEq)]
pub enum DirectGrantResult {
    Granted {
        grant: Box<Grant>,
        /// Why its scope is not the requested one.
        why_scope: Option<&'static str>,
        /// What becomes of earlier declines of the same.
        declines: Option<String>,
    },
    Withheld(DirectGrantRefusal),
    /// The graph's command rules deny the command: the rule, or the reason.
    Denied(String),
    /// No such session is open, so the grant would have no owner.
    NoSession,
}

impl<S: Store> Engine<S> {
    /// A page of grants, newest first.
    pub fn list_grants(&self, query: &GrantQuery) -> Result<GrantPage, EngineError> {
        Ok(self.store.list_grants(query)?)
    }

    /// A grant, whatever its state, with its request and the call that last used it.
    pub fn read_grant(&self, grant: GrantId) -> Result<Arc<State>, EngineError> {
        let scope = ReadScope::for_row(RowKey::Grant(grant));
        let state = self.store.read(&scope)?.state;
        let Some(known) = state.grants.get(grant) else { return Ok(state) };
        let request = known.request.map(RowKey::Request);
        let used = known.used.map(|used| RowKey::Call(used.by));
        Ok(self.store.read(&scope.with_rows(request.into_iter().chain(used)))?.state)
    }

    /// Ids of this kind that start or end with `part`.
    pub fn find_ids(
        &self,
        kind: ObjectKind,
        part: &str,
        limit: usize,
    ) -> Result<Vec<String>, EngineError> {
        Ok(self.store.find_ids(kind, part, limit)?)
    }

    /// Sessions in which a grant is in force, a call is executing, or a gesture was made.
    pub fn sessions_with_grants(&self) -> Result<BTreeSet<SessionKey>, EngineError> {
        let running = self.store.read(&ReadScope::with_kind(ScopeKind::Running))?.state;
        let calls = running.calls.values().filter(|call| call.state == CallState::Executing);
        let mut sessions: BTreeSet<SessionKey> =
            calls.map(|record| record.call.session.clone()).collect();
        sessions.extend(running.gestures.values().map(|gesture| gesture.session.clone()));
        let mut query = GrantQuery {
            status: GrantStatusFilter::InForce,
            owner: GrantOwnerFilter::Anyone,
            before: None,
            limit: limits::GRANTS_PER_PAGE,
        };
        loop {
            let page = self.list_grants(&query)?;
            let grants = page.grants.iter().filter_map(|id| page.state.grants.get(*id));
            sessions.extend(grants.map(|grant| grant.made_in.clone()));
            let Some(next) = page.next else { return Ok(sessions) };
            query.before = Some(next);
        }
    }

    /// Grants without a request, to the agent of the session.
    pub fn grant_directly(&self, wanted: &DirectGrant) -> Result<DirectGrantResult, EngineError> {
        let DirectGrant { session, .. } = wanted;
        let refuses = wanted.if_useless == UselessGrantPolicy::Refuse;
        if let (true, Some(why)) = (refuses, self.find_denying_rule(&wanted.coverage)?) {
            return Ok(DirectGrantResult::Denied(why));
        }
        let mut coverage = wanted.coverage.clone();
        coverage.redact(self.store.key());
        let coverage = &coverage;
        let own = ReadScope::for_session(session);
        let scope = if wanted.scope == Scope::Project { own.with_project_sessions() } else { own };
        self.run_step(&scope, |facts, _| {
            let Some(open) = facts.state.open_session(session, facts.now) else {
                return (DirectGrantResult::NoSession, Vec::new());
            };
            let why = find_refusal(facts.graph, coverage, (wanted.scope, wanted.confirmation));
            if let (true, Some(why)) = (refuses, why) {
                return (DirectGrantResult::Withheld(why), Vec::new());
            }
            let (agent, project) = (&open.agent, open.project.as_ref());
            let holder = Holder { session, agent, project };
            let terms = (wanted.scope, wanted.ends_at, wanted.confirmation);
            let (grant, why_scope) = create_direct_grant(facts, &holder, coverage.clone(), terms);
            let lifting = lift_declines(facts, session, coverage, grant.scope);
            let mut changes = vec![Change::GrantMinted { grant: Box::new(grant.clone()) }];
            changes.extend(lifting.changes);
            let (grant, declines) = (Box::new(grant), lifting.line);
            (DirectGrantResult::Granted { grant, why_scope, declines }, changes)
        })
    }

    /// The rule that denies this command wherever it would run.
    pub(crate) fn find_denying_rule(
        &self,
        coverage: &Coverage,
    ) -> Result<Option<String>, EngineError> {
        let (Coverage::Command { argv, cwd, .. }, Some(rules)) = (coverage, self.active_rules()?)
        else {
            return Ok(None);
        };
        Ok(self.why_command_is_denied(&rules, argv, cwd.as_deref()))
    }

    /// The operator reviewed these grants of projects and keeps them. Returns those it concerned.
    pub fn keep_grants(&self, grants: &[GrantId]) -> Result<Vec<GrantId>, EngineError> {
        let scope = ReadScope::globals().with_rows(grants.iter().copied().map(RowKey::Grant));
        let kept = self.run_step(&scope, |facts, _| {
            let known = grants.iter().filter_map(|id| facts.state.grants.get(*id));
            let kept: Vec<GrantId> = known
                .filter(|grant| {
                    matches!(grant.owner, Owner::Project(_)) && grant.in_force(facts.now)
                })
                .map(|grant| grant.id)
                .collect();
            let changes = kept.iter().map(|grant| Change::GrantReviewed { grant: *grant });
            let changes = changes.collect();
            (kept, changes)
        })?;
        self.forget_review_check()?;
        self.update_review_notices()?;
        Ok(kept)
    }
}
