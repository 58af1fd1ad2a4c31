//! Whose rule decided: the operator's, or that of the repository's layer.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use crate::model::decision::{Basis, Verdict};
use crate::model::graph::Graph;

/// Names the layer where its rule decides, not the operator's.
pub(super) fn credit_layer(graph: &Graph, mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let Some(layer) = &graph.layer else { return verdicts };
    for verdict in &mut verdicts {
        if verdict.basis == Basis::Rule && layer.decides(&verdict.action, verdict.reason) {
            verdict.basis = Basis::Layer;
        }
    }
    verdicts
}
