//! What the policies of an action spell out: the facts they ask for, the texts they compare with.

use crate::limits;
use cedar_policy::PolicySet;
use countersign_graph::policies::{FactGroup, facts, is_possible_fact_value};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How Cedar writes a comparison of two sides.
const COMPARISONS: [&str; 5] = ["==", "!=", "contains", "containsAll", "containsAny"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spelled {
    pub(crate) groups: BTreeSet<FactGroup>,
    /// By the fact that they are compared with.
    texts: BTreeMap<String, BTreeSet<String>>,
}

impl Spelled {
    pub(crate) fn in_all(sets: &[&PolicySet]) -> Self {
        let mut found = Self::default();
        for policy in sets.iter().flat_map(|set| set.policies()) {
            if let Ok(Value::Object(mut written)) = policy.to_json() {
                found.walk(&written.remove("conditions").unwrap_or_default());
            }
        }
        found
    }

    /// Whatever can be asked for, with these texts for each fact that can be so.
    pub(crate) fn everything(texts: &[&str]) -> Self {
        let possible = |fact: &str| {
            let texts = texts.iter().filter(|text| is_possible_fact_value(fact, text));
            texts.map(|text| (*text).to_owned()).collect()
        };
        let texts = facts::names().map(|fact| (fact.to_owned(), possible(fact))).collect();
        Self { groups: FactGroup::ALL.into(), texts }
    }

    /// The texts that a fact is compared with.
    pub(crate) fn of(&self, fact: &str) -> Vec<&str> {
        let texts = self.texts.get(fact).into_iter().flatten().map(String::as_str);
        texts.take(limits::SPELLED).collect()
    }

    fn walk(&mut self, node: &Value) {
        match node {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Object(fields) => {
                for (key, field) in fields {
                    if COMPARISONS.contains(&key.as_str()) {
                        self.compared(&field["left"], &field["right"]);
                        self.compared(&field["right"], &field["left"]);
                    }
                    if let ("attr", Value::String(name)) = (key.as_str(), field) {
                        self.groups.extend(facts::group(name));
                    }
                    self.walk(field);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn compared(&mut self, fact: &Value, with: &Value) {
        let of_facts = json!({".": {"left": {"Var": "context"}, "attr": "facts"}});
        let asked = &fact["."];
        if let (Some(name), true) = (asked["attr"].as_str(), asked["left"] == of_facts) {
            let texts = self.texts.entry(name.to_owned()).or_default();
            texts.extend(strings(with));
        }
    }
}

/// The strings that an expression spells out, alone or in a set.
fn strings(node: &Value) -> Vec<String> {
    match (&node["Value"], &node["Set"]) {
        (Value::String(text), _) => vec![text.clone()],
        (_, Value::Array(items)) => items.iter().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
