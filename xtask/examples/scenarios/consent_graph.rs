//! A consent graph: three tiers, confidence, contacts, decay, the trusted channel, proposals.

mod proposals;
mod tiers;

use super::scenario::Scenario;

pub fn list() -> Vec<&'static Scenario> {
    tiers::SCENARIOS.iter().chain(proposals::SCENARIOS).collect()
}
