//! The policies of an action in the form that the solver gets.
//!
//! Two graphs may have different names for one action, and a policy may ask whether a call is
//! approved. Both are filled in here, so that only conditions on facts remain. All given policies
//! apply to the action, so their scopes are dropped.

use cedar_policy::{Policy, PolicySet};
use countersign_core::model::names::Action;
use countersign_graph::policies::CompiledPolicies;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApprovalPolicies {
    Missing,
    Given,
}

/// The policies of an action, with everything filled in except the facts.
pub(crate) fn fill_in_action(
    rules: &CompiledPolicies,
    action: &Action,
    approval: ApprovalPolicies,
) -> Result<PolicySet, String> {
    let (policies, entity) = rules
        .policy_set_for(action)
        .zip(rules.action_entity(action))
        .ok_or_else(|| format!("`{action}` has no policies"))?;
    let action = json!({"Value": {"__entity": {
        "type": entity.type_name().to_string(),
        "id": entity.id().unescaped(),
    }}});
    let approved = json!({"Value": approval == ApprovalPolicies::Given});
    let filled = policies.policies().map(|policy| {
        let mut policy_json = policy.to_json().map_err(|error| error.to_string())?;
        if let Some(head) = policy_json.get_mut("action") {
            *head = json!({"op": "All"});
        }
        if let Some(conditions) = policy_json.get_mut("conditions") {
            fill_node(conditions, &action, &approved);
        }
        Policy::from_json(Some(policy.id().clone()), policy_json).map_err(|error| error.to_string())
    });
    PolicySet::from_policies(filled.collect::<Result<Vec<_>, String>>()?)
        .map_err(|error| error.to_string())
}

fn fill_node(node: &mut Value, action: &Value, approved: &Value) {
    if *node == json!({"Var": "action"}) {
        *node = action.clone();
    } else if *node == json!({".": {"left": {"Var": "context"}, "attr": "approved"}}) {
        *node = approved.clone();
    } else {
        match node {
            Value::Array(items) => {
                items.iter_mut().for_each(|item| fill_node(item, action, approved))
            }
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| fill_node(field, action, approved));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Effect and conditions of each policy: two sets with equal lists decide alike. None if a policy
/// has no JSON form.
pub(crate) fn list_conditions(policies: &PolicySet) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for policy in policies.policies() {
        let fields = policy.to_json().ok()?;
        found.push(format!("{} {}", fields.get("effect")?, fields.get("conditions")?));
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}
