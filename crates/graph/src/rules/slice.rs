//! One slice for each action: what Cedar has to look at, and nothing else.
//!
//! Evaluation takes as long as there are policies, so each action gets its own set, cut once when
//! the graph is loaded. A policy that names no action is in every slice, one that names a domain
//! in every slice of that domain.

use super::facts::Group;
use super::named::Named;
use super::vocabulary::{Vocabulary, unlisted};
use super::{bug, table};
use crate::problem::Problem;
use cedar_policy::{ActionConstraint, EntityId, EntityTypeName, EntityUid, PolicySet};
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) action: EntityUid,
    pub(crate) policies: PolicySet,
    /// The operator's policies in it.
    pub(crate) names: Vec<String>,
    pub(crate) looks_at: BTreeSet<Group>,
}

#[derive(Debug)]
pub(crate) struct Slices {
    listed: HashMap<Action, Slice>,
    /// What no list names, by domain.
    unlisted: HashMap<String, Slice>,
    elsewhere: Slice,
}

impl Slices {
    pub(crate) fn cut(
        graph: &Graph,
        vocabulary: &Vocabulary<'_>,
        policies: &[Named],
    ) -> Result<Self, Problem> {
        let open = table::tier_of_unlisted(graph.unclassified);
        let listed = graph.rules.iter().map(|(action, rule)| {
            let slice = cut(action.as_str(), Some(action.domain()), rule.tier, policies)?;
            Ok((action.clone(), slice))
        });
        let unlisted_in = vocabulary.domains.iter().map(|domain| {
            let slice = cut(&unlisted(Some(domain)), Some(domain), open, policies)?;
            Ok(((*domain).to_owned(), slice))
        });
        Ok(Self {
            listed: listed.collect::<Result<_, _>>()?,
            unlisted: unlisted_in.collect::<Result<_, _>>()?,
            elsewhere: cut(&unlisted(None), None, open, policies)?,
        })
    }

    /// The slice of an action, listed or not. There is always one.
    pub(crate) fn of(&self, action: &Action) -> Option<&Slice> {
        let listed = self.listed.get(action);
        let found = listed.or_else(|| self.unlisted.get(action.domain()));
        Some(found.unwrap_or(&self.elsewhere))
    }
}

fn cut(
    action: &str,
    domain: Option<&str>,
    tier: Tier,
    policies: &[Named],
) -> Result<Slice, Problem> {
    let action_entity = entity("Action", action)?;
    let group = domain.map(|domain| entity("Action", domain)).transpose()?;
    let mut slice = Slice {
        policies: PolicySet::from_policies([table::policy(action, tier)?]).map_err(bug)?,
        action: action_entity,
        names: Vec::new(),
        looks_at: BTreeSet::new(),
    };
    for Named { name, policy, looks_at } in policies {
        let reached = match policy.action_constraint() {
            ActionConstraint::Any => true,
            ActionConstraint::Eq(named) => named == slice.action,
            ActionConstraint::In(named) => {
                named.iter().any(|named| *named == slice.action || Some(named) == group.as_ref())
            }
        };
        if reached {
            slice.policies.add(policy.clone()).map_err(bug)?;
            slice.names.push(name.clone());
            slice.looks_at.extend(looks_at);
        }
    }
    Ok(slice)
}

pub(crate) fn entity(kind: &str, name: &str) -> Result<EntityUid, Problem> {
    let kind = EntityTypeName::from_str(kind).map_err(bug)?;
    Ok(EntityUid::from_type_name_and_id(kind, EntityId::new(name)))
}
