//! Graphs with policies, and what is proved of two of them.

use countersign_core::model::graph::Graph;
use countersign_graph::policies::{CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, load_graph};
use countersign_prove::{Answer, Effort, Finding, Proof, Side, Unavailable, prove, words};
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

/// A graph and its policies.
pub(crate) struct Written {
    pub(crate) graph: Graph,
    pub(crate) rules: CompiledPolicies,
}

impl Written {
    pub(crate) fn side(&self) -> Side<'_> {
        Side { graph: &self.graph, rules: &self.rules }
    }
}

pub(crate) fn written(graph: &str, policies: &str) -> Written {
    let graph = load_graph("g.yaml", graph.as_bytes(), Format::Yaml).unwrap().graph;
    let source = PolicyFile {
        name: "p.cedar".into(),
        display_path: "rules/p.cedar".into(),
        bytes: policies.into(),
    };
    let rules = compile(&graph, &[source]).unwrap_or_else(|found| panic!("{found:?}"));
    Written { graph, rules }
}

pub(crate) fn effort() -> Effort {
    Effort { program: "cvc5".into(), limit: Duration::from_secs(10) }
}

pub(crate) fn proved(old: &Written, new: &Written) -> Proof {
    match prove(old.side(), new.side(), &effort()) {
        Ok(proof) => proof,
        Err(Unavailable::Missing(_)) => panic!("cvc5 is missing: run `apt-get install cvc5`"),
        Err(other) => panic!("{other}"),
    }
}

/// All that is not `nothing new`, one line each.
pub(crate) fn lines(proof: &Proof) -> Vec<String> {
    proof.findings.iter().filter_map(line).collect()
}

pub(crate) fn line(finding: &Finding) -> Option<String> {
    let what = format!("{} {}", finding.subject, finding.level.word());
    match &finding.answer {
        Answer::NothingNew => None,
        Answer::NotProved(why) => Some(format!("{what}: not proved, {why}")),
        Answer::NewlyAllowed(example) => {
            let facts = words(&example.facts).join(", ");
            let (before, after) = (example.before, example.after);
            Some(format!("{what}: {facts} ({before} to {after})"))
        }
    }
}
