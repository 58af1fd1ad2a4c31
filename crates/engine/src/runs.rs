//! Runs: starting, ending, and taking them up again after a restart.

use crate::{Engine, EngineError, ReadScope, RowKey, ScopeKind, Store};
use countersign_core::decide::facts::Facts;
use countersign_core::model::change::Change;
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::grant::{Coverage, GrantState};
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Action, Agent, SessionName, Workflow};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::words::RunEnding;
use countersign_core::steps::start_run::{self, Started};
use countersign_core::steps::sweep::{Swept, end_run, reconcile};

/// A workflow of the graph in force, and the first action because of which its start asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub prompts: Option<Action>,
}

impl<S: Store> Engine<S> {
    /// Which workflows ask before they start, and what runs or waits to be taken up again.
    pub fn audit(&self) -> Result<(Vec<Audited>, Vec<Run>), EngineError> {
        self.look(&ReadScope::with_kind(ScopeKind::Running), |facts| {
            let workflows = facts.graph.map(|graph| graph.workflows.iter()).into_iter().flatten();
            let audited = workflows.map(|(workflow, rule)| Audited {
                workflow: workflow.clone(),
                actions: rule.actions.clone(),
                prompts: start_run::prompts(facts, &rule.actions).cloned(),
            });
            let runs = facts.state.runs.values();
            let runs = runs.filter(|run| !matches!(run.state, RunState::Ended(_)));
            (audited.collect(), runs.cloned().collect())
        })
    }

    /// One run, whatever has become of it.
    pub fn run_of(&self, run: RunId) -> Result<Option<Run>, EngineError> {
        let state = self.store.read(&ReadScope::for_row(RowKey::Run(run)))?.state;
        Ok(state.runs.get(&run).cloned())
    }

    /// Starts a run, or asks whether it may start.
    pub fn start(&self, draft: &StartDraft) -> Result<(RunId, Decision), EngineError> {
        let need = ReadScope::for_session(&draft.session)
            .with_opener(&draft.agent, draft.project.as_ref());
        self.transact(&need, |facts| {
            let Started { run, decision, changes } = start_run::start_run(facts, draft);
            ((run, decision), changes)
        })
    }

    /// Ends a run. False if it was not running.
    pub fn end_run(&self, run: RunId, how: RunEnding) -> Result<bool, EngineError> {
        self.transact(&ReadScope::for_row(RowKey::Run(run)), |facts| {
            let changes =
                facts.state.runs.get(&run).map_or_else(Vec::new, |run| end_run(facts, run, how));
            (!changes.is_empty(), changes)
        })
    }

    /// An agent ends its own run. False if it has none such that is running.
    pub fn end_own_run(
        &self,
        run: RunId,
        (session, agent): (&SessionName, &Agent),
        how: RunEnding,
    ) -> Result<bool, EngineError> {
        self.transact(&ReadScope::for_session(session).with_rows([RowKey::Run(run)]), |facts| {
            let own = |run: &&Run| run.session == *session && run.agent == *agent;
            let own = facts.state.runs.get(&run).filter(own);
            let changes = own.map_or_else(Vec::new, |run| end_run(facts, run, how));
            (!changes.is_empty(), changes)
        })
    }

    /// The owner of a run takes it up again after a restart. False if that is over.
    pub fn reattach(
        &self,
        run: RunId,
        session: &SessionName,
        agent: &Agent,
    ) -> Result<bool, EngineError> {
        let need = ReadScope::for_session(session).with_rows([RowKey::Run(run)]);
        self.transact_before(&need, |facts, _| {
            let own = facts
                .state
                .runs
                .get(&run)
                .filter(|run| run.session == *session && run.agent == *agent)
                .filter(|run| may_go_on(facts, run));
            match own {
                Some(run) => {
                    let node = facts.node.clone();
                    (true, vec![Change::RunReattached { run: run.id, node }])
                }
                None => (false, Vec::new()),
            }
        })
    }

    /// Ends the runs of a session that nobody took up again after a restart.
    pub fn reconcile(&self, session: &SessionName) -> Result<Swept, EngineError> {
        self.transact(&ReadScope::for_session(session), |facts| reconcile(facts, session))
    }
}

/// Suspended, not timed out, and its own grant still stands.
fn may_go_on(facts: &Facts, run: &Run) -> bool {
    let stands = facts.state.grants.iter().any(|grant| {
        matches!(&grant.coverage, Coverage::Run { run: own, .. } if *own == run.id)
            && grant.state == GrantState::Live
            && !grant.is_over(facts.now)
    });
    run.state == RunState::Suspended && facts.now < run.idles_out_at() && stands
}
