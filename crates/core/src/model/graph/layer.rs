//! The rules of a repository beside those of the operator, as one graph.
//!
//! The crate `graph` reads a layer and puts it in force: the result is an ordinary graph, so nothing
//! that decides knows of layers. What is kept here says whose rule decided.
//!
//! See docs/decisions/0137-a-repositorys-rules-are-a-layer.md.

use super::{AskingRule, ChannelRule, Graph, Rule, WhenIdle};
use crate::encoding::digest::Digest;
use crate::model::category::Category;
use crate::model::names::Action;
use crate::model::words::{Reason, Risk, Tier, Undo, words};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

words! {
    /// What the rules of a repository may do.
    LayerStanding {
        /// They only narrow, so they need no trust.
        Narrowing = "narrowing",
        /// The operator has read and accepted this version.
        Trusted = "trusted",
        /// They would allow more, and nobody has accepted this version; or they are invalid.
        Ignored = "ignored",
        /// Nobody can read them, so everything asks.
        Unreadable = "unreadable",
    }
}

/// The rules of a repository that a decision was made with, by the hash of their file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerRef {
    /// Zeros if the file could not be read.
    pub hash: Digest,
    pub standing: LayerStanding,
}

/// What a layer changes in the graph that it is part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedLayer {
    pub of: LayerRef,
    /// Why it is ignored or cannot be read; otherwise empty.
    pub why: String,
    /// The actions whose tier it decides, with the tier that the operator's graph gives.
    pub moved: BTreeMap<Action, Option<Tier>>,
    pub channel_bound: BTreeSet<Action>,
    /// The domains to which it adds conditions.
    pub conditioned: BTreeSet<String>,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    pub secrets: Vec<String>,
    pub guarded: Vec<String>,
}

impl AppliedLayer {
    pub fn new(of: LayerRef, why: String) -> Self {
        Self {
            of,
            why,
            moved: BTreeMap::new(),
            channel_bound: BTreeSet::new(),
            conditioned: BTreeSet::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            secrets: Vec::new(),
            guarded: Vec::new(),
        }
    }

    /// Whether the layer's rule for an action gives this reason.
    pub fn decides(&self, action: &Action, reason: Reason) -> bool {
        let is_one_of = |reasons: &[Reason]| reasons.contains(&reason);
        let by_tier = is_one_of(&[Reason::Blocked, Reason::NoGrant, Reason::Autonomous]);
        let by_condition = is_one_of(&[Reason::DiffMissing, Reason::UndoMissing]);
        (by_tier && self.moved.contains_key(action))
            || (by_condition && self.conditioned.contains(action.domain()))
            || (reason == Reason::ChannelRequired && self.channel_bound.contains(action))
            || (reason == Reason::AlwaysAsk && self.of.standing == LayerStanding::Unreadable)
    }
}

impl Rule {
    /// The rule of an action that only a list names.
    pub fn from_tier(tier: Tier) -> Self {
        Self {
            tier,
            risk: Self::default_risk(tier),
            categories: Vec::new(),
            undo: None,
            asking: AskingRule::ByTier,
            when_idle: WhenIdle::Ask,
            channel: ChannelRule::Any,
        }
    }

    /// Moves the rule to a later tier. Reading and idle rules would pass without an answer, so the
    /// risk is at least that of the tier.
    pub fn tighten_to(&mut self, tier: Tier) {
        self.tier = self.tier.max(tier);
        self.risk = self.risk.max(Self::default_risk(self.tier));
        self.when_idle = WhenIdle::Ask;
    }

    /// Makes the rule at least as strict as another one.
    pub fn tighten_by(&mut self, other: &Self) {
        self.tier = self.tier.max(other.tier);
        self.risk = self.risk.max(other.risk);
        let missing: Vec<Category> =
            other.categories.iter().filter(|one| !self.categories.contains(one)).cloned().collect();
        self.categories.extend(missing);
        if other.assumed_undo() == Undo::Irreversible {
            self.undo = Some(Undo::Irreversible);
        }
        if other.asking == AskingRule::Always {
            self.asking = AskingRule::Always;
        }
        if other.when_idle == WhenIdle::Ask {
            self.when_idle = WhenIdle::Ask;
        }
        if other.channel == ChannelRule::TrustedOnly {
            self.channel = ChannelRule::TrustedOnly;
        }
    }
}

impl Graph {
    /// The reference to the layer that is part of this graph.
    pub fn layer_ref(&self) -> Option<LayerRef> {
        self.layer.as_ref().map(|layer| layer.of)
    }

    /// A copy of the graph in which everything asks, because a layer that nobody can read may forbid
    /// anything.
    pub fn with_unreadable_layer(&self, why: &str) -> Self {
        let mut graph = self.clone();
        let of = LayerRef { hash: Digest::zero(), standing: LayerStanding::Unreadable };
        for rule in graph.rules.values_mut() {
            rule.tighten_to(Tier::RequiresApproval);
            rule.asking = AskingRule::Always;
            rule.risk = rule.risk.max(Risk::Moderate);
        }
        graph.commands.allow.clear();
        graph.layer = Some(Box::new(AppliedLayer::new(of, why.to_owned())));
        graph
    }

    /// A copy of the graph that notes a layer which is not in force.
    pub fn with_ignored_layer(&self, hash: Digest, why: &str) -> Self {
        let of = LayerRef { hash, standing: LayerStanding::Ignored };
        Self { layer: Some(Box::new(AppliedLayer::new(of, why.to_owned()))), ..self.clone() }
    }
}
