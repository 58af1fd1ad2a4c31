//! Compares command rules by their text; does not compare which commands they cover.

use super::{DiffSubject, Difference, GraphPair, NONE, SubjectDiff, union_keys};
use countersign_core::model::graph::Graph;
use std::collections::BTreeMap;

/// Where a graph lists a rule, ordered from looser to stricter.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum RuleListing {
    Allow,
    Unlisted,
    Deny,
}

pub(super) fn diff(graphs: &GraphPair<'_>, differences: &mut Vec<Difference>) {
    let (old, new) = (list_rules(graphs.old), list_rules(graphs.new));
    for rule in union_keys(old.keys(), new.keys()) {
        let listing_in = |rules: &BTreeMap<String, RuleListing>| {
            rules.get(rule).copied().unwrap_or(RuleListing::Unlisted)
        };
        let mut out = SubjectDiff {
            subject: DiffSubject::Command(rule.clone()),
            differences: &mut *differences,
        };
        out.compare("commands", listing_in(&old), listing_in(&new), |listing| {
            match listing {
                RuleListing::Allow => "allow",
                RuleListing::Unlisted => NONE,
                RuleListing::Deny => "deny",
            }
            .to_owned()
        });
    }
}

/// Every rule of a graph, with whitespace normalised.
fn list_rules(graph: &Graph) -> BTreeMap<String, RuleListing> {
    let normalize = |body: &String| body.split_whitespace().collect::<Vec<_>>().join(" ");
    let allow = graph.commands.allow.iter().map(|body| (normalize(body), RuleListing::Allow));
    let variables = graph.commands.env.iter().map(|name| (format!("{name}=…"), RuleListing::Allow));
    allow
        .chain(variables)
        .chain(graph.commands.deny.iter().map(|body| (normalize(body), RuleListing::Deny)))
        .collect()
}
