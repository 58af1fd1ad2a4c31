//! A graph in force, with its policies, command rules and places compiled.
//!
//! What they say about a call is in `rules`.

use crate::EngineError;
use countersign_commands::{
    ClassRule, CommandRule, RuleBody, RuleEffect, RuleError, RuleSet, parse_body,
};
use countersign_core::model::graph::{CommandRules, Graph};
use countersign_graph::places::PlacePatterns;
use countersign_graph::policies::CompiledPolicies;
use std::sync::Arc;

/// A graph with its compiled rules.
pub(crate) struct ActiveRules {
    pub(crate) graph: Arc<Graph>,
    pub(crate) commands: RuleSet,
    pub(crate) policies: Option<Arc<CompiledPolicies>>,
    pub(crate) patterns: PlacePatterns,
}

impl ActiveRules {
    pub(crate) fn compile(
        graph: Graph,
        policies: Option<Arc<CompiledPolicies>>,
    ) -> Result<Self, EngineError> {
        let commands = compile_rules(&graph.commands)?;
        let patterns = PlacePatterns::new(&graph.secrets, &graph.guarded);
        let wrong = |error| EngineError::Setup(format!("a pattern cannot be read: {error}"));
        let patterns = patterns.map_err(wrong)?;
        Ok(Self { graph: Arc::new(graph), commands, policies, patterns })
    }
}

/// The rules of a graph, ready to be held against lines.
fn compile_rules(written: &CommandRules) -> Result<RuleSet, EngineError> {
    let of = |effect: RuleEffect, list: &'_ [String]| {
        list.iter().map(|body| parse_body(effect, body)).collect::<Result<Vec<CommandRule>, _>>()
    };
    let read = of(RuleEffect::Allow, &written.allow)
        .and_then(|allow| Ok([allow, of(RuleEffect::Deny, &written.deny)?].concat()));
    let wrong =
        |error: RuleError| EngineError::Setup(format!("a command rule cannot be read: {error}"));
    let classes = ClassRule::parse_all(&written.classes).map_err(|(_, error)| wrong(error))?;
    let rules = read.map_err(wrong)?;
    Ok(RuleSet::new(rules).with_classes(classes).with_variables(&written.env))
}

/// Rules by which no command reaches these paths.
pub(crate) fn deny_paths(paths: &[String]) -> RuleSet {
    let rule = |path: &String| CommandRule {
        text: format!("deny path {path}"),
        effect: RuleEffect::Deny,
        body: RuleBody::Path(path.clone()),
    };
    RuleSet::new(paths.iter().map(rule).collect())
}
