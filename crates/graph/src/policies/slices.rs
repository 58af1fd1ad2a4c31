//! Divides the policies into one slice per action: the policies that Cedar evaluates for it.
//!
//! The time of an evaluation grows with the number of policies, so the slices are built once, when
//! the graph is loaded. A policy that names no action is in every slice, and one that names a
//! domain is in every slice of that domain.

use super::facts::FactGroup;
use super::named_policy::NamedPolicy;
use super::vocabulary::{Vocabulary, unlisted_name};
use super::{internal_error, tier_policy};
use crate::problem::Problem;
use cedar_policy::{ActionConstraint, EntityId, EntityTypeName, EntityUid, PolicySet};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

#[derive(Debug)]
pub(crate) struct PolicySlice {
    pub(crate) action: EntityUid,
    pub(crate) policies: PolicySet,
    /// The names of the operator's policies in this slice.
    pub(crate) names: Vec<String>,
    pub(crate) fact_groups: BTreeSet<FactGroup>,
}

#[derive(Debug)]
pub(crate) struct PolicySlices {
    listed: HashMap<Action, PolicySlice>,
    /// For unlisted actions of the graph's domains.
    unlisted_by_domain: HashMap<String, PolicySlice>,
    outside_domains: PolicySlice,
}

impl PolicySlices {
    pub(crate) fn build(
        graph: &Graph,
        vocabulary: &Vocabulary<'_>,
        policies: &[NamedPolicy],
    ) -> Result<Self, Problem> {
        let unlisted_tier = tier_policy::unlisted_tier(graph.unclassified);
        let listed = graph.rules.iter().map(|(action, rule)| {
            let slice = build_slice(action.as_str(), Some(action.domain()), rule.tier, policies)?;
            Ok((action.clone(), slice))
        });
        let unlisted_in = vocabulary.domains.iter().map(|domain| {
            let slice =
                build_slice(&unlisted_name(Some(domain)), Some(domain), unlisted_tier, policies)?;
            Ok(((*domain).to_owned(), slice))
        });
        Ok(Self {
            listed: listed.collect::<Result<_, _>>()?,
            unlisted_by_domain: unlisted_in.collect::<Result<_, _>>()?,
            outside_domains: build_slice(&unlisted_name(None), None, unlisted_tier, policies)?,
        })
    }

    /// The slice of an action, listed or not.
    pub(crate) fn get(&self, action: &Action) -> Option<&PolicySlice> {
        let listed = self.listed.get(action);
        let found = listed.or_else(|| self.unlisted_by_domain.get(action.domain()));
        Some(found.unwrap_or(&self.outside_domains))
    }
}

fn build_slice(
    action: &str,
    domain: Option<&str>,
    tier: Tier,
    policies: &[NamedPolicy],
) -> Result<PolicySlice, Problem> {
    let action_entity = entity_uid("Action", action)?;
    let group = domain.map(|domain| entity_uid("Action", domain)).transpose()?;
    let mut slice = PolicySlice {
        policies: PolicySet::from_policies([tier_policy::tier_policy(action, tier)?])
            .map_err(internal_error)?,
        action: action_entity,
        names: Vec::new(),
        fact_groups: BTreeSet::new(),
    };
    for NamedPolicy { name, policy, fact_groups } in policies {
        let applies = match policy.action_constraint() {
            ActionConstraint::Any => true,
            ActionConstraint::Eq(named) => named == slice.action,
            ActionConstraint::In(named) => {
                named.iter().any(|named| *named == slice.action || Some(named) == group.as_ref())
            }
        };
        if applies {
            slice.policies.add(policy.clone()).map_err(internal_error)?;
            slice.names.push(name.clone());
            slice.fact_groups.extend(fact_groups);
        }
    }
    Ok(slice)
}

pub(crate) fn entity_uid(kind: &str, name: &str) -> Result<EntityUid, Problem> {
    let kind = EntityTypeName::from_str(kind).map_err(internal_error)?;
    Ok(EntityUid::from_type_name_and_id(kind, EntityId::new(name)))
}
