//! Compiles the tier of an action to a Cedar policy.
//!
//! An autonomous action is permitted. One that requires approval is permitted if it is approved. A
//! blocked one is forbidden, and no `permit` can override that.

use super::internal_error;
use crate::problem::Problem;
use cedar_policy::{Policy, PolicyId};
use countersign_core::model::graph::Unclassified;
use countersign_core::model::words::Tier;
use serde_json::json;

/// The space keeps it distinct from the names of the operator's policies.
pub(crate) const LISTS_POLICY_NAME: &str = "the lists";

/// The policy for an action in this tier.
pub(crate) fn tier_policy(action: &str, tier: Tier) -> Result<Policy, Problem> {
    let approved = json!({".": {"left": {"Var": "context"}, "attr": "approved"}});
    let (effect, conditions) = match tier {
        Tier::Autonomous => ("permit", json!([])),
        Tier::RequiresApproval => ("permit", json!([{"kind": "when", "body": approved}])),
        Tier::Blocked => ("forbid", json!([])),
    };
    let policy_json = json!({
        "effect": effect,
        "principal": {"op": "All"},
        "action": {"op": "==", "entity": {"type": "Action", "id": action}},
        "resource": {"op": "All"},
        "conditions": conditions,
    });
    Policy::from_json(Some(PolicyId::new(LISTS_POLICY_NAME)), policy_json).map_err(internal_error)
}

/// The tier of unlisted actions, as the graph sets it.
pub(crate) const fn unlisted_tier(unclassified: Unclassified) -> Tier {
    match unclassified {
        Unclassified::Ask => Tier::RequiresApproval,
        Unclassified::Deny => Tier::Blocked,
    }
}
