//! Test graphs with policies, and proofs about two of them.

use countersign_core::model::graph::Graph;
use countersign_graph::policies::{CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, load_graph};
use countersign_prove::{
    GraphSide, Proof, ProofError, ProofFinding, ProofResult, SolverSettings, describe_facts, prove,
};
use std::time::Duration;

pub(crate) const GRAPH: &str = "\
domains:
  files:
    autonomous: [read]
    requires_approval: [write, delete]
    blocked: [wipe]
  money:
    autonomous: []
    requires_approval: [pay]
    blocked: []
";

/// A graph with its compiled policies.
pub(crate) struct TestGraph {
    pub(crate) graph: Graph,
    pub(crate) rules: CompiledPolicies,
}

impl TestGraph {
    pub(crate) fn side(&self) -> GraphSide<'_> {
        GraphSide { graph: &self.graph, rules: &self.rules }
    }
}

pub(crate) fn load_test_graph(graph: &str, policies: &str) -> TestGraph {
    let graph = load_graph("g.yaml", graph.as_bytes(), Format::Yaml).unwrap().graph;
    let source = PolicyFile {
        name: "p.cedar".into(),
        display_path: "rules/p.cedar".into(),
        bytes: policies.into(),
    };
    let rules = compile(&graph, &[source]).unwrap_or_else(|found| panic!("{found:?}"));
    TestGraph { graph, rules }
}

pub(crate) fn test_settings() -> SolverSettings {
    SolverSettings { program: "cvc5".into(), time_limit: Duration::from_secs(10) }
}

pub(crate) fn run_proof(old: &TestGraph, new: &TestGraph) -> Proof {
    match prove(old.side(), new.side(), &test_settings()) {
        Ok(proof) => proof,
        Err(ProofError::SolverNotFound(_)) => panic!("cvc5 is missing: run `apt-get install cvc5`"),
        Err(other) => panic!("{other}"),
    }
}

/// The results other than `nothing new`, one line each.
pub(crate) fn result_lines(proof: &Proof) -> Vec<String> {
    proof.findings.iter().filter_map(result_line).collect()
}

pub(crate) fn result_line(finding: &ProofFinding) -> Option<String> {
    let subject = format!("{} {}", finding.subject, finding.level.word());
    match &finding.result {
        ProofResult::NothingNew => None,
        ProofResult::NotProved(why) => Some(format!("{subject}: not proved, {why}")),
        ProofResult::NewlyAllowed(example) => {
            let facts = describe_facts(&example.facts).join(", ");
            let (before, after) = (example.before, example.after);
            Some(format!("{subject}: {facts} ({before} to {after})"))
        }
    }
}
