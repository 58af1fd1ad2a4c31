//! What the three lists mean in Cedar.
//!
//! An autonomous action is permitted; one that requires approval is permitted when it is approved;
//! a blocked one is forbidden, which nothing lifts.

use super::bug;
use crate::problem::Problem;
use cedar_policy::{Policy, PolicyId};
use countersign_core::model::graph::Unclassified;
use countersign_core::model::words::Tier;
use serde_json::json;

/// The blank keeps it from being the name of a policy.
pub(crate) const NAME: &str = "the lists";

/// The policy that a tier comes to, for the action of that name.
pub(crate) fn policy(action: &str, tier: Tier) -> Result<Policy, Problem> {
    let approved = json!({".": {"left": {"Var": "context"}, "attr": "approved"}});
    let (effect, conditions) = match tier {
        Tier::Autonomous => ("permit", json!([])),
        Tier::RequiresApproval => ("permit", json!([{"kind": "when", "body": approved}])),
        Tier::Blocked => ("forbid", json!([])),
    };
    let written = json!({
        "effect": effect,
        "principal": {"op": "All"},
        "action": {"op": "==", "entity": {"type": "Action", "id": action}},
        "resource": {"op": "All"},
        "conditions": conditions,
    });
    Policy::from_json(Some(PolicyId::new(NAME)), written).map_err(bug)
}

/// What no list names asks or is denied, as the graph says.
pub(crate) const fn tier_of_unlisted(unclassified: Unclassified) -> Tier {
    match unclassified {
        Unclassified::Ask => Tier::RequiresApproval,
        Unclassified::Deny => Tier::Blocked,
    }
}
