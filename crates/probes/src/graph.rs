//! A generated graph: every domain with the same mix of tiers, as an operator would write it.

use crate::WorldResult;
use countersign_core::model::names::Action;
use serde_json::{Map, Value, json};

/// How many domains, and how many actions in each of them.
#[derive(Clone, Copy)]
pub struct Size {
    pub domains: usize,
    pub actions: usize,
}

/// What the generated graph says about an action.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GeneratedKind {
    Autonomous,
    /// Asked about, and without a category.
    Asked,
    /// Asked about, and of the category `CATEGORY`.
    Categorised,
    Blocked,
}

pub const CATEGORY: &str = "filesystem_write";

/// Of twelve actions, five are autonomous, five are asked about and two are blocked.
const MIX: [GeneratedKind; 12] = [
    GeneratedKind::Autonomous,
    GeneratedKind::Asked,
    GeneratedKind::Categorised,
    GeneratedKind::Autonomous,
    GeneratedKind::Asked,
    GeneratedKind::Blocked,
    GeneratedKind::Autonomous,
    GeneratedKind::Asked,
    GeneratedKind::Categorised,
    GeneratedKind::Autonomous,
    GeneratedKind::Autonomous,
    GeneratedKind::Blocked,
];

impl Size {
    pub fn json(self) -> String {
        let domains: Map<String, Value> =
            (0..self.domains).map(|number| (domain(number), self.lists())).collect();
        json!({ "last_reviewed": "2026-01-05", "domains": domains }).to_string()
    }

    /// Every action of this kind.
    pub fn actions(self, kind: GeneratedKind) -> WorldResult<Vec<Action>> {
        let mut actions = Vec::new();
        for number in 0..self.domains {
            for verb in self.verbs(kind) {
                actions.push(Action::new(&domain(number), &verb)?);
            }
        }
        Ok(actions)
    }

    fn lists(self) -> Value {
        let of = |kind| self.verbs(kind).collect::<Vec<_>>();
        let details = self.verbs(GeneratedKind::Categorised).map(|verb| {
            let detail = json!({ "categories": [CATEGORY], "reversible": true });
            (verb, detail)
        });
        let asked = [of(GeneratedKind::Asked), of(GeneratedKind::Categorised)].concat();
        json!({
            "trust_level": "medium",
            "autonomous": of(GeneratedKind::Autonomous),
            "requires_approval": asked,
            "blocked": of(GeneratedKind::Blocked),
            "actions": details.collect::<Map<_, _>>(),
        })
    }

    fn verbs(self, kind: GeneratedKind) -> impl Iterator<Item = String> {
        let kinds = MIX.iter().cycle().take(self.actions).enumerate();
        kinds.filter(move |(_, of)| **of == kind).map(|(number, _)| format!("change_item_{number}"))
    }
}

fn domain(number: usize) -> String {
    format!("workspace_{number}")
}
