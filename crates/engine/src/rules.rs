//! What policies and command rules say about a call: asked between reading it and deciding it.

mod command;
mod policy;

pub(crate) use command::denied;

use crate::{Engine, EngineError, Store};
use countersign_commands::RuleSet;
use countersign_core::model::call::Call;
use countersign_core::model::graph::Graph;
use countersign_core::model::ruled::{NOTHING, Ruled};
use countersign_graph::policies::CompiledPolicies as Policies;
use std::sync::Arc;

/// A graph, and what was made of its rules so that they can be asked often.
pub(crate) struct InForce {
    pub(crate) graph: Arc<Graph>,
    commands: RuleSet,
    pub(crate) policies: Option<Arc<Policies>>,
}

impl InForce {
    /// Rules that cannot be read do not come into force, and neither does their graph.
    pub(crate) fn new(graph: Graph, policies: Option<Arc<Policies>>) -> Result<Self, EngineError> {
        let commands = command::compile(&graph.commands)?;
        Ok(Self { graph: Arc::new(graph), commands, policies })
    }
}

impl<S: Store> Engine<S> {
    /// Asked again at every attempt: a link may point elsewhere by then.
    pub(crate) fn ruled(&self, in_force: Option<&InForce>, call: &Call) -> Ruled {
        let Some(in_force) = in_force else { return NOTHING.clone() };
        let command = call.command.as_ref().and_then(|line| self.judged(in_force, call, line));
        Ruled { command, policies: self.by_policy(in_force, call) }
    }
}
