//! What policies and command rules say about a call, evaluated before it is decided.

mod command;
mod policy;

pub(crate) use command::deny_paths;

use crate::{Engine, EngineError, Store};
use countersign_commands::RuleSet;
use countersign_core::model::call::{Call, CallDraft};
use countersign_core::model::graph::Graph;
use countersign_core::model::ruled::{NOTHING, Ruled};
use countersign_graph::policies::CompiledPolicies;
use std::sync::Arc;

/// A graph with its compiled rules.
pub(crate) struct ActiveRules {
    pub(crate) graph: Arc<Graph>,
    commands: RuleSet,
    pub(crate) policies: Option<Arc<CompiledPolicies>>,
}

impl ActiveRules {
    pub(crate) fn compile(
        graph: Graph,
        policies: Option<Arc<CompiledPolicies>>,
    ) -> Result<Self, EngineError> {
        let commands = command::compile_rules(&graph.commands)?;
        Ok(Self { graph: Arc::new(graph), commands, policies })
    }

    /// Whether the rules look at files for this call: command lines and policies do.
    pub(crate) fn reads_files(&self, draft: &CallDraft) -> bool {
        let tool = draft.tool.as_ref().and_then(|tool| self.graph.tool(tool.as_str()));
        let has_command =
            draft.command.is_some() || tool.is_some_and(|tool| tool.command.is_some());
        has_command || self.policies.is_some()
    }
}

impl<S: Store> Engine<S> {
    /// Evaluated again at every attempt, because a link may point elsewhere by then.
    pub(crate) fn evaluate_rules(&self, rules: Option<&ActiveRules>, call: &Call) -> Ruled {
        let Some(rules) = rules else { return NOTHING.clone() };
        let command = call.command.as_ref().and_then(|line| self.judge_command(rules, call, line));
        Ruled { command, policies: self.evaluate_policies(rules, call) }
    }
}
