//! Gated functions, bundles, nested consent, replay, workflows, clicks.

mod calls;
mod clicks;
mod gateway;
mod replay;
mod workflows;

use super::scenario::Scenario;

pub fn list() -> Vec<&'static Scenario> {
    let parts = [
        calls::SCENARIOS,
        replay::SCENARIOS,
        workflows::SCENARIOS,
        clicks::SCENARIOS,
        gateway::SCENARIOS,
    ];
    parts.into_iter().flatten().collect()
}
