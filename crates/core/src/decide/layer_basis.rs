//! Whose rule decided: the operator's, or that of the repository's layer.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.
//! See docs/decisions/0143-what-the-layer-costs-a-decision.md.

use crate::model::decision::{Basis, Verdict};
use crate::model::graph::AppliedLayer;

/// Names the layer where its rule decides, not the operator's.
pub(super) fn credit_layer(layer: &AppliedLayer, verdicts: &mut [Verdict]) {
    for verdict in verdicts {
        if verdict.basis == Basis::Rule && layer.decides(&verdict.action, verdict.reason) {
            verdict.basis = Basis::Layer;
        }
    }
}
