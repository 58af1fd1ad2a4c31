//! A graph in force, with its policies, command rules and places compiled.
//!
//! What they say about a call is in `rules`.

use crate::EngineError;
use crate::layer_versions::LayerCache;
use countersign_commands::{
    ClassRule, CommandRule, RuleBody, RuleEffect, RuleError, RuleSet, parse_body,
};
use countersign_core::model::change::GraphSource;
use countersign_core::model::graph::Graph;
use countersign_graph::places::PlacePatterns;
use countersign_graph::policies::CompiledPolicies;
use std::sync::Arc;

/// A graph with its compiled rules.
pub(crate) struct ActiveRules {
    pub(crate) graph: Arc<Graph>,
    pub(crate) commands: Arc<RuleSet>,
    pub(crate) policies: Option<Arc<CompiledPolicies>>,
    pub(crate) patterns: Arc<PlacePatterns>,
    /// The texts that the graph and its policies were loaded from.
    pub(crate) source: Option<Arc<GraphSource>>,
    /// The text of the repository's rules that are part of the graph.
    pub(crate) layer_text: Option<String>,
    /// The same rules with those of repositories.
    pub(crate) layered: LayerCache<ActiveRules>,
}

impl ActiveRules {
    pub(crate) fn compile(
        graph: Graph,
        policies: Option<Arc<CompiledPolicies>>,
        source: Option<Arc<GraphSource>>,
    ) -> Result<Self, EngineError> {
        let commands = Arc::new(compile_rules(&graph)?);
        let patterns = PlacePatterns::new(&graph.secrets, &graph.guarded);
        let wrong = |error| EngineError::Setup(format!("a pattern cannot be read: {error}"));
        let patterns = Arc::new(patterns.map_err(wrong)?);
        let (graph, layered) = (Arc::new(graph), LayerCache::empty());
        Ok(Self { graph, commands, policies, patterns, source, layer_text: None, layered })
    }

    /// The same rules under a graph that has no others.
    pub(crate) fn with_graph(&self, graph: Graph) -> Self {
        Self {
            graph: Arc::new(graph),
            commands: Arc::clone(&self.commands),
            policies: self.policies.clone(),
            patterns: Arc::clone(&self.patterns),
            source: self.source.clone(),
            layer_text: None,
            layered: LayerCache::empty(),
        }
    }
}

/// The rules of a graph, ready to be held against lines.
fn compile_rules(graph: &Graph) -> Result<RuleSet, EngineError> {
    let written = &graph.commands;
    let layer = graph.layer.as_deref();
    let is_of_layer = |effect: RuleEffect, body: &String| match effect {
        RuleEffect::Allow => layer.is_some_and(|layer| layer.allow.contains(body)),
        RuleEffect::Deny => layer.is_some_and(|layer| layer.deny.contains(body)),
    };
    let read = |effect: RuleEffect, body: &String| {
        let mut rule = parse_body(effect, body)?;
        if is_of_layer(effect, body) {
            rule.text.push_str(", a rule of this repository");
        }
        Ok(rule)
    };
    let of = |effect: RuleEffect, list: &'_ [String]| {
        list.iter().map(|body| read(effect, body)).collect::<Result<Vec<CommandRule>, _>>()
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
