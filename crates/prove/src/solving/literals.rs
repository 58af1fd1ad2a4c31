//! The facts that the policies of an action use, and the string literals they compare them with.

use super::limits;
use cedar_policy::PolicySet;
use countersign_graph::policies::{FactGroup, facts, is_possible_fact_value};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The operators with two sides in Cedar's JSON format.
const COMPARISONS: [&str; 5] = ["==", "!=", "contains", "containsAll", "containsAny"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PolicyLiterals {
    pub(crate) groups: BTreeSet<FactGroup>,
    /// The literals by the fact that they are compared with.
    texts: BTreeMap<String, BTreeSet<String>>,
}

impl PolicyLiterals {
    pub(crate) fn from_policy_sets(sets: &[&PolicySet]) -> Self {
        let mut found = Self::default();
        for policy in sets.iter().flat_map(|set| set.policies()) {
            if let Ok(Value::Object(mut written)) = policy.to_json() {
                found.collect(&written.remove("conditions").unwrap_or_default());
            }
        }
        found
    }

    /// All facts, each compared with those of the texts that it can have.
    pub(crate) fn with_all_facts(texts: &[&str]) -> Self {
        let possible = |fact: &str| {
            let texts = texts.iter().filter(|text| is_possible_fact_value(fact, text));
            texts.map(|text| (*text).to_owned()).collect()
        };
        let texts = facts::names().map(|fact| (fact.to_owned(), possible(fact))).collect();
        Self { groups: FactGroup::ALL.into(), texts }
    }

    /// The literals that a fact is compared with.
    pub(crate) fn texts_for(&self, fact: &str) -> Vec<&str> {
        let texts = self.texts.get(fact).into_iter().flatten().map(String::as_str);
        texts.take(limits::MAX_LITERALS).collect()
    }

    fn collect(&mut self, node: &Value) {
        match node {
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                for (key, field) in fields {
                    if COMPARISONS.contains(&key.as_str()) {
                        self.add_comparison(&field["left"], &field["right"]);
                        self.add_comparison(&field["right"], &field["left"]);
                    }
                    if let ("attr", Value::String(name)) = (key.as_str(), field) {
                        self.groups.extend(facts::group(name));
                    }
                    self.collect(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn add_comparison(&mut self, fact: &Value, literal: &Value) {
        let facts_attribute = json!({".": {"left": {"Var": "context"}, "attr": "facts"}});
        let access = &fact["."];
        if let (Some(name), true) = (access["attr"].as_str(), access["left"] == facts_attribute) {
            let texts = self.texts.entry(name.to_owned()).or_default();
            texts.extend(literal_strings(literal));
        }
    }
}

/// The string literals of an expression, alone or in a set.
fn literal_strings(node: &Value) -> Vec<String> {
    match (&node["Value"], &node["Set"]) {
        (Value::String(text), _) => vec![text.clone()],
        (_, Value::Array(items)) => items.iter().flat_map(literal_strings).collect(),
        _ => Vec::new(),
    }
}
