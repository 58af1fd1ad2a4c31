//! Safety classes, typed categories, one approval per risky action, an honest record.

mod declines;
mod records;
mod risks;
mod tools;

use super::scenario::Scenario;

pub fn list() -> Vec<&'static Scenario> {
    let parts = [risks::SCENARIOS, declines::SCENARIOS, records::SCENARIOS, tools::SCENARIOS];
    parts.into_iter().flatten().collect()
}
