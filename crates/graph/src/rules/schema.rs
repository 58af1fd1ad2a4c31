//! The schema that policies are validated against, made from the graph.
//!
//! Agents and targets are in it because Cedar asks for a principal and a resource. A policy cannot
//! tell one from another: an agent's name is what the agent says.

use super::bug;
use super::facts;
use super::vocabulary::{Vocabulary, unlisted};
use crate::problem::Problem;
use cedar_policy::Schema;
use serde_json::{Map, Value, json};

pub(crate) const PRINCIPAL: &str = "Agent";
pub(crate) const RESOURCE: &str = "Target";

pub(crate) fn schema(vocabulary: &Vocabulary<'_>) -> Result<Schema, Problem> {
    let mut actions: Map<String, Value> =
        vocabulary.domains.iter().map(|domain| ((*domain).to_owned(), json!({}))).collect();
    for action in &vocabulary.actions {
        actions.insert(action.as_str().to_owned(), member(Some(action.domain())));
    }
    for domain in &vocabulary.domains {
        actions.insert(unlisted(Some(domain)), member(Some(domain)));
    }
    actions.insert(unlisted(None), member(None));
    let context = json!({"type": "Record", "attributes": {
        "approved": {"type": "Boolean"},
        "facts": facts::record_type(),
    }});
    let schema = json!({"": {
        "entityTypes": {PRINCIPAL: {}, RESOURCE: {}},
        "commonTypes": {"Asked": context},
        "actions": actions,
    }});
    Schema::from_json_value(schema).map_err(bug)
}

fn member(domain: Option<&str>) -> Value {
    let groups: Vec<_> = domain.iter().map(|domain| json!({"id": domain})).collect();
    json!({
        "memberOf": groups,
        "appliesTo": {
            "principalTypes": [PRINCIPAL],
            "resourceTypes": [RESOURCE],
            "context": {"type": "Asked"},
        },
    })
}
