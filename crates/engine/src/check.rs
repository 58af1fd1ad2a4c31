//! How a call is decided: facts, decision, commit.
//!
//! `check` is the whole way of a call through the engine. Nothing here approves, mints or revokes.

use crate::active_rules::ActiveRules;
use crate::command_line::analyse_arguments;
use crate::{
    CheckResult, Durability, Engine, EngineError, FastPath, ReadScope, RowKey, SessionOwner, Store,
};
use countersign_conversation::announce;
use countersign_core::decide;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, CallDraft, Malformed};
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::decision::Decision;
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::session_place::SessionFolders;
use countersign_core::model::words::Outcome;
use countersign_core::steps::record::{decided, opening, record};
use countersign_core::steps::resolve::resolve_call;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Decides a call and records the decision.
    pub fn check(&self, draft: &CallDraft) -> Result<CheckResult, EngineError> {
        self.run_step(&self.check_scope(draft), |facts, rules| {
            self.decide_call(facts, rules, draft)
        })
    }

    /// Decides a call on the fast path.
    pub fn try_check(
        &self,
        draft: &CallDraft,
        durability: Durability,
        callback: impl FnOnce(Result<CheckResult, EngineError>) + Send + 'static,
    ) -> Result<FastPath, EngineError> {
        if self.active_rules()?.is_some_and(|rules| self.reads_files(&rules, draft)) {
            return Ok(FastPath::Unavailable);
        }
        let step =
            |facts: &Facts, rules: Option<&ActiveRules>| self.decide_call(facts, rules, draft);
        self.try_fast_path(&self.check_scope(draft), durability, step, callback)
    }

    /// The pure part: reads the draft as a call, evaluates the rules on it, and decides.
    fn decide_call(
        &self,
        facts: &Facts,
        rules: Option<&ActiveRules>,
        draft: &CallDraft,
    ) -> (CheckResult, Vec<Change>) {
        match self.resolve(facts, rules, draft) {
            Ok((mut call, ruled)) => {
                let facts = &Facts { ruled: &ruled, ..*facts };
                call.redact(facts.key, facts.graph);
                let call = Arc::new(call);
                let decision = decide(facts, &call);
                if decision.outcome == Outcome::Ask {
                    self.keep_for_card(facts, rules, (draft, &call));
                }
                let changes = record(facts, &call, &decision);
                let announced = announce(facts.into(), &call, &decision);
                let checked = CheckResult::new(call.id, &call.session, decision, announced);
                (checked.with_narrowed(ruled.narrowed.as_deref()), changes)
            }
            Err(malformed) => {
                let (session, agent) = (draft.session.clone(), draft.agent.clone());
                deny_malformed(facts, &SessionOwner { session, agent }, &malformed)
            }
        }
    }

    /// Decides hypothetical actions. Nothing is recorded, and nothing can be executed on it.
    pub fn decide_hypothetical(&self, draft: &CallDraft) -> Result<Decision, EngineError> {
        self.run_step(&self.check_scope(draft), |facts, rules| {
            let decision = match self.resolve(facts, rules, draft) {
                Ok((mut call, ruled)) => {
                    call.redact(facts.key, facts.graph);
                    decide::decide_hypothetical(&Facts { ruled: &ruled, ..*facts }, &call)
                }
                Err(malformed) => Decision::malformed(malformed.to_string()),
            };
            (decision, Vec::new())
        })
    }

    pub(crate) fn resolve(
        &self,
        facts: &Facts,
        rules: Option<&ActiveRules>,
        draft: &CallDraft,
    ) -> Result<(Call, RuleResults), Malformed> {
        let call = resolve_call(facts, analyse_arguments(facts, draft.clone())?)?;
        let ruled = self.evaluate_rules(facts, rules, &call);
        Ok((call, ruled))
    }

    /// Denies a call that could not be read, and records that.
    pub fn deny_unreadable(
        &self,
        owner: &SessionOwner,
        why: &Malformed,
    ) -> Result<CheckResult, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_opener(&owner.agent, None);
        self.run_step(&scope, |facts, _| deny_malformed(facts, owner, why))
    }

    /// A call without a parent does not depend on the other calls of its session.
    fn check_scope(&self, draft: &CallDraft) -> ReadScope {
        let place = self.find_place(draft.project.as_ref(), &draft.scratch);
        let scope = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, place)
            .with_rows(draft.run.map(RowKey::Run));
        match draft.observed.parent {
            None => scope.ignoring_other_calls(),
            // Also a parent of another agent is read, so that it is found out.
            Some(parent) => scope.with_rows([RowKey::Call(parent)]),
        }
    }
}

fn deny_malformed(
    facts: &Facts,
    owner: &SessionOwner,
    why: &Malformed,
) -> (CheckResult, Vec<Change>) {
    let decision = Decision::malformed(why.to_string());
    let mut changes = opening(facts, &owner.session, &owner.agent, (None, SessionFolders::NONE));
    changes.push(decided(facts, malformed_attempt(owner), &decision));
    (CheckResult::Denied { call: None, decision }, changes)
}

pub(crate) fn malformed_attempt(owner: &SessionOwner) -> Attempt {
    Attempt::Malformed { session: owner.session.clone(), agent: owner.agent.clone() }
}
