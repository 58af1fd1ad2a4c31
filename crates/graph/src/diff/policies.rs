//! Policies, each by itself: whether another one says the same is not asked.
//!
//! A policy that stands in both files word for word is the same, whatever it is called.

use super::{Difference, Differences, NONE, Subject, Turn};
use crate::rules::Rules;
use cedar_policy::{Effect, Policy};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff((old, new): (Option<&Rules>, Option<&Rules>), found: &mut Vec<Difference>) {
    let (old, new) = (written(old), written(new));
    let (before, after) = (named(&old, &new), named(&new, &old));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let mut out = Differences { subject: Subject::Policy(name.clone()), found: &mut *found };
        match (before.get(name), after.get(name)) {
            (Some(old), Some(new)) => {
                let after = format!("{}, rewritten", effect(new));
                out.add("rules", (effect(old).to_owned(), after), Turn::Unclear);
            }
            (None, Some(new)) => {
                let turn = match new.effect() {
                    Effect::Permit => Turn::Looser,
                    Effect::Forbid => Turn::Stricter,
                };
                out.add("rules", (NONE.to_owned(), effect(new).to_owned()), turn);
            }
            (Some(old), None) => {
                out.add("rules", (effect(old).to_owned(), NONE.to_owned()), removed(old));
            }
            (None, None) => {}
        }
    }
}

/// Policies by what they say, names and remarks left out.
fn written(rules: Option<&Rules>) -> BTreeMap<String, &Policy> {
    let policies = rules.map_or(&[][..], Rules::policies).iter();
    policies
        .map(|policy| {
            let said = policy.to_json().map(|mut said| {
                if let Some(fields) = said.as_object_mut() {
                    fields.remove("annotations");
                }
                said.to_string()
            });
            // What cannot be written down is at least itself.
            (said.unwrap_or_else(|_| policy.id().to_string()), policy)
        })
        .collect()
}

/// Those that the other side does not have, by name.
fn named<'p>(
    policies: &BTreeMap<String, &'p Policy>,
    other: &BTreeMap<String, &Policy>,
) -> BTreeMap<String, &'p Policy> {
    let own = policies.iter().filter(|(said, _)| !other.contains_key(*said));
    own.map(|(_, policy)| (policy.id().to_string(), *policy)).collect()
}

fn effect(policy: &Policy) -> &'static str {
    match policy.effect() {
        Effect::Permit => "permit",
        Effect::Forbid => "forbid",
    }
}

/// A call whose facts cannot be read is denied for every policy that asks for them, a `permit`
/// too.
fn removed(policy: &Policy) -> Turn {
    match (policy.effect(), policy.has_non_scope_constraint()) {
        (Effect::Forbid, _) => Turn::Looser,
        (Effect::Permit, true) => Turn::Unclear,
        (Effect::Permit, false) => Turn::Stricter,
    }
}
