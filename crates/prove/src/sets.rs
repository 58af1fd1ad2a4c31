//! What Cedar is asked about an action, as the solver is to see it.
//!
//! Two graphs may call one action by two names, and a policy asks whether a call is approved. So
//! both are filled in: what is left are conditions on facts. The slice of an action holds only
//! policies that reach it, so that their heads say nothing more.

use cedar_policy::{Policy, PolicySet};
use countersign_core::model::names::Action;
use countersign_graph::policies::CompiledPolicies;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    Missing,
    Given,
}

/// The policies of an action with nothing left open but the facts.
pub(crate) fn filled_in(
    rules: &CompiledPolicies,
    action: &Action,
    approval: Approval,
) -> Result<PolicySet, String> {
    let (policies, entity) = rules
        .policy_set_for(action)
        .zip(rules.action_entity(action))
        .ok_or_else(|| format!("`{action}` has no policies"))?;
    let action = json!({"Value": {"__entity": {
        "type": entity.type_name().to_string(),
        "id": entity.id().unescaped(),
    }}});
    let approved = json!({"Value": approval == Approval::Given});
    let filled = policies.policies().map(|policy| {
        let mut written = policy.to_json().map_err(|error| error.to_string())?;
        if let Some(head) = written.get_mut("action") {
            *head = json!({"op": "All"});
        }
        if let Some(conditions) = written.get_mut("conditions") {
            fill(conditions, &action, &approved);
        }
        Policy::from_json(Some(policy.id().clone()), written).map_err(|error| error.to_string())
    });
    PolicySet::from_policies(filled.collect::<Result<Vec<_>, String>>()?)
        .map_err(|error| error.to_string())
}

fn fill(node: &mut Value, action: &Value, approved: &Value) {
    if *node == json!({"Var": "action"}) {
        *node = action.clone();
    } else if *node == json!({".": {"left": {"Var": "context"}, "attr": "approved"}}) {
        *node = approved.clone();
    } else {
        match node {
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, action, approved)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| fill(field, action, approved));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The conditions alone, by effect: two sets that are alike here decide alike. None where a policy
/// cannot be written down.
pub(crate) fn conditions(policies: &PolicySet) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for policy in policies.policies() {
        let written = policy.to_json().ok()?;
        found.push(format!("{} {}", written.get("effect")?, written.get("conditions")?));
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}
