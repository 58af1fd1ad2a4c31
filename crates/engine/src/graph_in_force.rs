//! The graph in force: loading one, and marking it as reviewed.

use crate::active_rules::ActiveRules;
use crate::{Engine, EngineError, ReadScope, ScopeKind, Store};
use countersign_core::model::change::Change;
use countersign_core::model::graph::Graph;
use countersign_core::model::notice::Cause;
use countersign_graph::LoadedGraph;
use std::sync::Arc;

impl<S: Store> Engine<S> {
    /// Puts a validated graph in force, with its policies. The ledger keeps its source, so that
    /// decisions under it can be replayed.
    pub fn load_graph(&self, loaded: impl Into<LoadedGraph>) -> Result<(), EngineError> {
        let LoadedGraph { graph, policies, source, .. } = loaded.into();
        let hash = graph.hash;
        let rules = match ActiveRules::compile(graph, policies, source.clone().map(Arc::new)) {
            Ok(rules) => rules,
            Err(error) => {
                self.alert_graph_refused(&error.to_string())?;
                return Err(error);
            }
        };
        self.run_step_anytime(&ReadScope::globals(), |facts, _| {
            // The ledger has it already, unless another graph was loaded since.
            if facts.state.graph == Some(hash) {
                return ((), Vec::new());
            }
            ((), vec![Change::GraphLoaded { hash, source: source.clone().map(Box::new) }])
        })?;
        self.set_active_rules(rules)
    }

    /// The operator reviewed the graph and its project grants: their time to the next review starts
    /// again.
    pub fn review_graph(&self) -> Result<(), EngineError> {
        let Some(rules) = self.active_rules()? else { return Ok(()) };
        let reviewed = rules.graph.reviewed_on(self.current_time()?.date());
        let hash = reviewed.hash;
        let rules = ActiveRules::compile(reviewed, rules.policies.clone(), rules.source.clone())?;
        self.run_step(&ReadScope::with_kind(ScopeKind::ProjectGrants), |_, _| {
            ((), vec![Change::GraphReviewed { hash }])
        })?;
        self.set_active_rules(rules)?;
        self.end_notices(Cause::GraphChanged)?;
        self.forget_review_check()?;
        self.update_review_notices()
    }

    pub fn graph(&self) -> Result<Option<Arc<Graph>>, EngineError> {
        Ok(self.active_rules()?.map(|rules| rules.graph.clone()))
    }

    pub(crate) fn active_rules(&self) -> Result<Option<Arc<ActiveRules>>, EngineError> {
        self.rules.read().map(|rules| rules.clone()).map_err(|_| EngineError::Damaged)
    }

    fn set_active_rules(&self, rules: ActiveRules) -> Result<(), EngineError> {
        let mut active = self.rules.write().map_err(|_| EngineError::Damaged)?;
        *active = Some(Arc::new(rules));
        Ok(())
    }
}
