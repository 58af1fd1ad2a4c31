//! Asking ahead: an agent asks before it acts, with a reason, a fallback and a scope.

mod asking;
mod grants;
mod tools;

use super::scenario::Scenario;

pub fn list() -> Vec<&'static Scenario> {
    asking::SCENARIOS.iter().chain(grants::SCENARIOS).chain(tools::SCENARIOS).collect()
}
