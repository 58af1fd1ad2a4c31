//! The policies of one graph for one action.

use super::policy_sets::{self, ApprovalPolicies};
use crate::GraphSide;
use cedar_policy::PolicySet;
use countersign_core::model::names::Action;
use countersign_graph::policies::FactGroup;
use std::collections::BTreeSet;

/// The policies of one graph for the action.
pub(crate) struct SidePolicies<'g> {
    pub(crate) side: GraphSide<'g>,
    pub(crate) listing: Listing,
    pub(super) without_approval: PolicySet,
    pub(super) with_approval: PolicySet,
    pub(super) fact_groups: BTreeSet<FactGroup>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Listed,
    /// No policy can make an unlisted action autonomous.
    Unlisted,
}

impl<'g> SidePolicies<'g> {
    pub(super) fn from_side(side: GraphSide<'g>, action: &Action) -> Result<Self, String> {
        let listed = side.graph.rule(action).is_some();
        Ok(Self {
            side,
            listing: if listed { Listing::Listed } else { Listing::Unlisted },
            without_approval: policy_sets::fill_in_action(
                side.rules,
                action,
                ApprovalPolicies::Missing,
            )?,
            with_approval: policy_sets::fill_in_action(
                side.rules,
                action,
                ApprovalPolicies::Given,
            )?,
            fact_groups: side.rules.fact_groups_for(action),
        })
    }

    pub(super) fn policies(&self, approval: ApprovalPolicies) -> &PolicySet {
        match approval {
            ApprovalPolicies::Missing => &self.without_approval,
            ApprovalPolicies::Given => &self.with_approval,
        }
    }

    pub(super) fn is_equivalent(&self, other: &Self) -> bool {
        let is_same = |approval| match policy_sets::list_conditions(self.policies(approval)) {
            Some(own) => policy_sets::list_conditions(other.policies(approval)) == Some(own),
            None => false,
        };
        self.listing == other.listing
            && self.fact_groups == other.fact_groups
            && is_same(ApprovalPolicies::Missing)
            && is_same(ApprovalPolicies::Given)
    }
}
