//! Runs one step: read a snapshot, decide on it, commit the changes.
//!
//! Every operation of the engine goes through here. The commit is refused if something that the
//! step read has changed meanwhile; then the step runs again while no other commit can come between.
//! The fast path does the first part without blocking, if the snapshot is in memory.
//!
//! See docs/decisions/0031-one-path-per-operation.md.

use crate::active_rules::ActiveRules;
use crate::commit_listeners::AffectedSessions;
use crate::questions::find_asking_agent;
use crate::{Commit, Engine, EngineError, ReadScope, Snapshot, Store, StoreError, limits};
use countersign_conversation::end_silent_session;
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::ids::IdGenerator;
use countersign_core::model::names::Agent;
use countersign_core::model::open_questions::OpenQuestions;
use countersign_core::model::rule_results;
use countersign_core::model::time::{Span, Time};
use countersign_core::state::State;
use std::sync::Arc;

/// Whether the fast path took a step.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPath {
    /// The callback receives the result, once the changes are durable.
    Submitted,
    /// The step would have to wait or look at files: nothing was done.
    Unavailable,
}

/// Which thread writes the changes of a step on the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The writer thread, in a batch with the changes of other callers.
    Batched,
    /// The calling thread, at once: it saves two thread switches for a caller that is alone.
    Immediate,
}

/// The result of a step, before its changes are committed.
struct StepEvaluation<T> {
    at: Time,
    output: T,
    changes: Vec<Change>,
    affected: AffectedSessions,
    /// The agent for which the step opens a question.
    asking_agent: Option<Agent>,
}

/// What a step is given besides the snapshot; the same whenever it is evaluated again.
#[derive(Clone, Copy)]
struct GivenFacts {
    questions: OpenQuestions,
    /// Random bits for new ids.
    bits: u64,
}

impl<S: Store> Engine<S> {
    /// Runs a step, if the engine is open and no revocation is still unwritten.
    pub(crate) fn run_step<T>(
        &self,
        scope: &ReadScope,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        self.check_ready()?;
        self.run_step_anytime(scope, step)
    }

    pub(crate) fn check_ready(&self) -> Result<(), EngineError> {
        self.check_open()?;
        self.write_pending_revocations()
    }

    /// Runs a step, also before the engine is open.
    pub(crate) fn run_step_anytime<T>(
        &self,
        scope: &ReadScope,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        let snapshot = self.store.read(scope)?;
        let basis = snapshot.basis.clone();
        let (evaluated, given) = self.evaluate_and_count(snapshot, scope, &step)?;
        let StepEvaluation { at, output, changes, affected, .. } = evaluated;
        if changes.is_empty() {
            return Ok(output);
        }
        if self.time_since(at)? > limits::MAX_DECISION_AGE {
            return self.run_step_exclusively(scope, given, step);
        }
        match self.store.commit(Commit { scope: scope.clone(), basis, at, changes }) {
            Ok(()) => {
                self.commit_listeners.notify(&affected);
                Ok(output)
            }
            Err(StoreError::Conflict(_)) => self.run_step_exclusively(scope, given, step),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs a step while no other commit can come between its read and its own commit. Meanwhile
    /// nothing else can be read, so the open questions are counted before.
    fn run_step_exclusively<T>(
        &self,
        scope: &ReadScope,
        mut given: GivenFacts,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
    ) -> Result<T, EngineError> {
        if let Some(opener) = &scope.opener {
            given.questions = self.count_questions(&opener.agent)?;
        }
        let mut evaluated = None;
        let committed = self.store.commit_exclusively(scope, &mut |snapshot| {
            let changes = match self.evaluate(snapshot, scope, given, &step) {
                Err(error) => {
                    evaluated = Some(Err(error));
                    return None;
                }
                Ok(StepEvaluation { at, output, changes, affected, .. }) => {
                    evaluated = Some(Ok((output, affected)));
                    (at, changes)
                }
            };
            (!changes.1.is_empty()).then_some(changes)
        });
        match committed {
            Ok(()) => {}
            Err(StoreError::Conflict(conflict)) => return Err(EngineError::Contended(conflict)),
            Err(error) => return Err(error.into()),
        }
        let (output, affected) = evaluated.ok_or(EngineError::Damaged)??;
        self.commit_listeners.notify(&affected);
        Ok(output)
    }

    /// Runs a step once without blocking on a read. If the commit conflicts, the callback gets
    /// `Contended`, and nothing was recorded.
    pub(crate) fn try_fast_path<T: Send + 'static>(
        &self,
        scope: &ReadScope,
        durability: Durability,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
        callback: impl FnOnce(Result<T, EngineError>) + Send + 'static,
    ) -> Result<FastPath, EngineError> {
        self.check_open()?;
        if self.pending_revocations.is_any() {
            return Ok(FastPath::Unavailable);
        }
        let Some(snapshot) = self.store.read_cached(scope)? else {
            return Ok(FastPath::Unavailable);
        };
        if self.opens_session(scope, &snapshot) {
            return Ok(FastPath::Unavailable);
        }
        let basis = snapshot.basis.clone();
        let StepEvaluation { at, output, changes, affected, asking_agent } =
            self.evaluate(snapshot, scope, self.given_facts(), &step)?;
        // Counting the open questions can take a query.
        if asking_agent.is_some() || self.time_since(at)? > limits::MAX_DECISION_AGE {
            return Ok(FastPath::Unavailable);
        }
        if changes.is_empty() {
            callback(Ok(output));
            return Ok(FastPath::Submitted);
        }
        let listeners = Arc::clone(&self.commit_listeners);
        let on_commit = move |committed: Result<(), StoreError>| match committed {
            Ok(()) => {
                listeners.notify(&affected);
                callback(Ok(output));
            }
            Err(StoreError::Conflict(conflict)) => callback(Err(EngineError::Contended(conflict))),
            Err(error) => callback(Err(error.into())),
        };
        let commit = Commit { scope: scope.clone(), basis, at, changes };
        match durability {
            Durability::Batched => self.store.commit_with_callback(commit, Box::new(on_commit)),
            Durability::Immediate => on_commit(self.store.commit(commit)),
        }
        Ok(FastPath::Submitted)
    }

    /// Evaluates a step, and again with the number of open questions if it opens one: most steps open
    /// none, and need not pay for counting.
    fn evaluate_and_count<T>(
        &self,
        snapshot: Snapshot,
        scope: &ReadScope,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
    ) -> Result<(StepEvaluation<T>, GivenFacts), EngineError> {
        let mut given = self.given_facts();
        let evaluated = self.evaluate(snapshot.clone(), scope, given, &step)?;
        let Some(agent) = &evaluated.asking_agent else { return Ok((evaluated, given)) };
        given.questions = self.count_questions(agent)?;
        Ok((self.evaluate(snapshot, scope, given, &step)?, given))
    }

    fn given_facts(&self) -> GivenFacts {
        GivenFacts { questions: self.no_questions(), bits: self.entropy.bits() }
    }

    /// Gathers the facts and runs the pure part of a step. A session that was silent for too long is
    /// ended first, in the same commit. It drops the snapshot before the commit,
    /// because a writer copies a state that somebody still reads.
    fn evaluate<T>(
        &self,
        snapshot: Snapshot,
        scope: &ReadScope,
        given: GivenFacts,
        step: impl Fn(&Facts, Option<&ActiveRules>) -> (T, Vec<Change>),
    ) -> Result<StepEvaluation<T>, EngineError> {
        let now = self.snapshot_time(&snapshot)?;
        let rules = self.rules_for_step(scope, &snapshot.state, now)?;
        let ids = IdGenerator::new(now, given.bits);
        let mut facts = Facts {
            now,
            ids: &ids,
            graph: rules.as_deref().map(|rules| &*rules.graph),
            state: &snapshot.state,
            surface: self.surface()?,
            assurance: self.assurance(),
            questions: given.questions,
            protected: &self.protected,
            ruled: &rule_results::NO_RULE_RESULTS,
            key: self.store.key(),
            node: &self.node,
            place: scope.opener.as_ref().and_then(|opener| opener.place.as_ref()),
        };
        let silent: Vec<Change> =
            scope.sessions.iter().flat_map(|key| end_silent_session(&facts, key)).collect();
        let after_silence;
        if !silent.is_empty() {
            after_silence = apply_all(&snapshot.state, now, &silent);
            facts.state = &after_silence;
        }
        let (output, mut own) = step(&facts, rules.as_deref());
        Self::see_layer(&facts, rules.as_deref(), &mut own);
        // Behind the decision, which a replay makes before them.
        let seen = self.see_files_at_opening(now, &own);
        let changes: Vec<Change> = silent.into_iter().chain(own).chain(seen).collect();
        let affected = AffectedSessions::from_changes(&changes, scope, &facts);
        let asking_agent = find_asking_agent(&changes);
        Ok(StepEvaluation { at: now, output, changes, affected, asking_agent })
    }

    /// The time by which something would be decided now.
    pub fn current_time(&self) -> Result<Time, EngineError> {
        self.snapshot_time(&self.store.read(&ReadScope::globals())?)
    }

    /// The same, for callers that only display it.
    pub fn display_time(&self) -> Time {
        self.current_time().unwrap_or_else(|_| self.clock.now())
    }

    pub(crate) fn snapshot_time(&self, snapshot: &Snapshot) -> Result<Time, EngineError> {
        let reading = snapshot.now.unwrap_or_else(|| self.clock.now());
        self.steady_clock.advance(&*self.clock, reading.max(snapshot.last_commit_at))
    }

    /// How long ago `start` was, by this machine's clock.
    fn time_since(&self, start: Time) -> Result<Span, EngineError> {
        let now = self.steady_clock.advance(&*self.clock, start)?;
        Ok(Span::micros(now.micros().saturating_sub(start.micros())))
    }
}

fn apply_all(state: &State, now: Time, changes: &[Change]) -> State {
    let mut state = state.clone();
    changes.iter().for_each(|change| state.apply(now, change));
    state
}
