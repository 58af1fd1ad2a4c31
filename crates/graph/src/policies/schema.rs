//! Builds the Cedar schema of a graph, against which policies are validated.
//!
//! It has agents and targets because Cedar requires a principal and a resource. A policy cannot
//! distinguish them: an agent chooses its own name.

use super::facts;
use super::internal_error;
use super::vocabulary::{Vocabulary, unlisted_name};
use crate::problem::Problem;
use cedar_policy::Schema;
use serde_json::{Map, Value, json};

pub(crate) const PRINCIPAL: &str = "Agent";
pub(crate) const RESOURCE: &str = "Target";

pub(crate) fn build_schema(vocabulary: &Vocabulary<'_>) -> Result<Schema, Problem> {
    let mut actions: Map<String, Value> =
        vocabulary.domains.iter().map(|domain| ((*domain).to_owned(), json!({}))).collect();
    for action in &vocabulary.actions {
        actions.insert(action.as_str().to_owned(), action_entry(Some(action.domain())));
    }
    for domain in &vocabulary.domains {
        actions.insert(unlisted_name(Some(domain)), action_entry(Some(domain)));
    }
    actions.insert(unlisted_name(None), action_entry(None));
    let context = json!({"type": "Record", "attributes": {
        "approved": {"type": "Boolean"},
        "facts": facts::facts_record_type(),
    }});
    let schema = json!({"": {
        "entityTypes": {PRINCIPAL: {}, RESOURCE: {}},
        "commonTypes": {"Asked": context},
        "actions": actions,
    }});
    Schema::from_json_value(schema).map_err(internal_error)
}

fn action_entry(domain: Option<&str>) -> Value {
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
