//! Compares policies by their text; does not compare their effect.
//!
//! A policy that both graphs contain word for word is the same policy, whatever its name.

use super::{DiffDirection, DiffSubject, Difference, NONE, SubjectDiff};
use crate::policies::CompiledPolicies;
use cedar_policy::{Effect, Policy};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn diff(
    old: Option<&CompiledPolicies>,
    new: Option<&CompiledPolicies>,
    differences: &mut Vec<Difference>,
) {
    let (old, new) = (index_by_content(old), index_by_content(new));
    let (before, after) = (select_unshared(&old, &new), select_unshared(&new, &old));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let mut out = SubjectDiff {
            subject: DiffSubject::Policy(name.clone()),
            differences: &mut *differences,
        };
        match (before.get(name), after.get(name)) {
            (Some(old), Some(new)) => {
                let after = format!("{}, rewritten", effect_word(new));
                out.add("rules", effect_word(old).to_owned(), after, DiffDirection::Unclear);
            }
            (None, Some(new)) => {
                let direction = match new.effect() {
                    Effect::Permit => DiffDirection::Looser,
                    Effect::Forbid => DiffDirection::Stricter,
                };
                out.add("rules", NONE.to_owned(), effect_word(new).to_owned(), direction);
            }
            (Some(old), None) => {
                out.add(
                    "rules",
                    effect_word(old).to_owned(),
                    NONE.to_owned(),
                    direction_when_removed(old),
                );
            }
            (None, None) => {}
        }
    }
}

/// The policies by their content, without annotations such as the name.
fn index_by_content(compiled: Option<&CompiledPolicies>) -> BTreeMap<String, &Policy> {
    let policies = compiled.map_or(&[][..], CompiledPolicies::policies).iter();
    policies
        .map(|policy| {
            let content = policy.to_json().map(|mut content| {
                if let Some(fields) = content.as_object_mut() {
                    fields.remove("annotations");
                }
                content.to_string()
            });
            // A policy without a JSON form is identified by its id.
            (content.unwrap_or_else(|_| policy.id().to_string()), policy)
        })
        .collect()
}

/// The policies that `other` does not contain, by name.
fn select_unshared<'p>(
    policies: &BTreeMap<String, &'p Policy>,
    other: &BTreeMap<String, &Policy>,
) -> BTreeMap<String, &'p Policy> {
    let unshared = policies.iter().filter(|(content, _)| !other.contains_key(*content));
    unshared.map(|(_, policy)| (policy.id().to_string(), *policy)).collect()
}

fn effect_word(policy: &Policy) -> &'static str {
    match policy.effect() {
        Effect::Permit => "permit",
        Effect::Forbid => "forbid",
    }
}

/// Removing a conditional `permit` is unclear: while it exists, a call whose facts are unreadable
/// is denied.
fn direction_when_removed(policy: &Policy) -> DiffDirection {
    match (policy.effect(), policy.has_non_scope_constraint()) {
        (Effect::Forbid, _) => DiffDirection::Looser,
        (Effect::Permit, true) => DiffDirection::Unclear,
        (Effect::Permit, false) => DiffDirection::Stricter,
    }
}
