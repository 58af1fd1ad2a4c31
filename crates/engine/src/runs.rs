//! Runs of workflows: starting, ending, and reattaching after a restart.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, SessionOwner, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::{Coverage, GrantState};
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Action, SessionKey, Workflow};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::RunEnding;
use countersign_core::steps::sweep::{Swept, end_run, reconcile};
use countersign_operations::start_run::{self, StartDecision};

/// A workflow of the graph in force, and the first action because of which its start asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowAudit {
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub asks_because: Option<Action>,
}

impl<S: Store> Engine<S> {
    /// Which workflows ask before they start, and the runs that have not ended.
    pub fn audit_workflows(&self) -> Result<(Vec<WorkflowAudit>, Vec<Run>), EngineError> {
        self.run_step_anytime(&ReadScope::with_kind(ScopeKind::Running), |facts, _| {
            let workflows = facts.graph.map(|graph| graph.workflows.iter()).into_iter().flatten();
            let audits = workflows.map(|(workflow, rule)| WorkflowAudit {
                workflow: workflow.clone(),
                actions: rule.actions.clone(),
                asks_because: start_run::prompts(facts, &rule.actions).cloned(),
            });
            let runs = facts.state.runs.values();
            let runs = runs.filter(|run| !matches!(run.state, RunState::Ended(_)));
            ((audits.collect(), runs.cloned().collect()), Vec::new())
        })
    }

    /// A run, whatever its state.
    pub fn read_run(&self, run: RunId) -> Result<Option<Run>, EngineError> {
        let state = self.store.read(&ReadScope::for_row(RowKey::Run(run)))?.state;
        Ok(state.runs.get(&run).cloned())
    }

    /// Starts a run, or asks whether it may start.
    pub fn start_run(&self, draft: &StartDraft) -> Result<(RunId, Decision), EngineError> {
        let scope = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, self.find_place(draft.project.as_ref(), &[]));
        self.run_step(&scope, |facts, _| {
            let StartDecision { run, decision, changes } = start_run::start_run(facts, draft);
            ((run, decision), changes)
        })
    }

    /// Ends a run for its owner. False if the owner has no such run that is running.
    pub fn end_run(
        &self,
        run: RunId,
        owner: &SessionOwner,
        how: RunEnding,
    ) -> Result<bool, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Run(run)]);
        self.run_step(&scope, |facts, _| {
            let changes =
                owned_run(facts, run, owner).map_or_else(Vec::new, |run| end_run(facts, run, how));
            (!changes.is_empty(), changes)
        })
    }

    /// The owner of a run takes it up again after a restart. False if that is no longer possible.
    pub fn reattach_run(&self, run: RunId, owner: &SessionOwner) -> Result<bool, EngineError> {
        let scope = ReadScope::for_session(&owner.session).with_rows([RowKey::Run(run)]);
        self.run_step_anytime(&scope, |facts, _| {
            let suspended = owned_run(facts, run, owner).filter(|run| can_resume(facts, run));
            match suspended {
                Some(run) => {
                    let node = facts.node.clone();
                    (true, vec![Change::RunReattached { run: run.id, node }])
                }
                None => (false, Vec::new()),
            }
        })
    }

    /// Ends the runs of a session that nobody took up again after a restart.
    pub fn reconcile_runs(&self, session: &SessionKey) -> Result<Swept, EngineError> {
        self.run_step(&ReadScope::for_session(session), |facts, _| reconcile(facts, session))
    }
}

fn owned_run<'a>(facts: &Facts<'a>, run: RunId, owner: &SessionOwner) -> Option<&'a Run> {
    let run = facts.state.runs.get(&run)?;
    (run.session == owner.session && run.agent == owner.agent).then_some(run)
}

/// Suspended, in time, and its own grant still in force.
fn can_resume(facts: &Facts, run: &Run) -> bool {
    let has_grant = facts.state.grants.iter().any(|grant| {
        matches!(&grant.coverage, Coverage::Run { run: own, .. } if *own == run.id)
            && grant.state == GrantState::Live
            && !grant.is_over(facts.now)
    });
    run.state == RunState::Suspended && !run.is_over(facts.now) && has_grant
}
