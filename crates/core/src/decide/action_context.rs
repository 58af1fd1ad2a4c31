//! One action of a call, with everything that the steps need: rule, tier, risk, categories.
//!
//! It is built once per action, and the steps only read it.

use super::candidates::Candidates;
use super::check_run::find_workflow;
use super::decided_actions::{DecidedAction, FoundForAction, are_programs_pinned};
use super::stack;
use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::call::{Call, Part};
use crate::model::category::Category;
use crate::model::danger::{Danger, DangerKind};
use crate::model::decision::{Basis, EventDestination, NearestChange, Verdict};
use crate::model::graph::{Destinations, Domain, Graph, Reducer, Rule};
use crate::model::names::Action;
use crate::model::place::{ActionOrigin, Bound, CommandHead, Place, StandsForPlace};
use crate::model::time::Date;
use crate::model::words::{Outcome, Printed, Reason, Risk, Tier, Undo};
use crate::state::grants::{OwnerGrants, OwnerRef};
use crate::state::{Restraints, Session};
use serde_json::{Value, json};
use std::cell::OnceCell;

/// Whether a decision is about a new call, the retry of a stored one, or no real call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionMode {
    New,
    Retry,
    /// A proposal, which takes no grant, confidence or gesture.
    Proposal,
    /// Hypothetical actions, without a real call.
    Hypothetical,
}

/// What the actions of one call have in common.
#[derive(Clone, Copy)]
pub(crate) struct DecisionInput<'a> {
    pub facts: &'a Facts<'a>,
    pub graph: &'a Graph,
    pub call: &'a Call,
    pub mode: DecisionMode,
}

pub(crate) struct ActionContext<'a> {
    pub facts: &'a Facts<'a>,
    pub graph: &'a Graph,
    pub call: &'a Call,
    pub part: Part,
    pub mode: DecisionMode,
    /// The action as it is decided; see `decided_actions`.
    pub action: Action,
    /// What was found about its commands and paths.
    found: Option<Box<FoundForAction>>,
    pub rule: Option<&'a Rule>,
    /// The tier of the rule, unless policies or a command rule change it.
    pub tier: Option<Tier>,
    pub domain: Option<&'a Domain>,
    pub risk: Risk,
    pub reducer: Option<&'a Reducer>,
    /// What earlier turns and declines hold back in the session.
    pub restraints: &'a Restraints,
    /// Whether the session may be that of a sub-agent.
    pub(crate) lineage: SessionLineage,
    /// The session's grants.
    pub session_grants: Option<OwnerGrants<'a>>,
    pub candidates: OnceCell<Candidates<'a>>,
    /// Computed once: several steps need it, and it takes a hash of the arguments.
    destination: OnceCell<Option<EventDestination>>,
}

/// Where a session stands among those of agents and their sub-agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionLineage {
    Top,
    MayBeBelow,
}

impl<'a> ActionContext<'a> {
    pub fn new(input: DecisionInput<'a>, decided: DecidedAction) -> Self {
        let DecisionInput { facts, graph, call, mode } = input;
        let DecidedAction { action, part, found } = decided;
        let rule = graph.rule(&action);
        let domain = graph.domains.get(action.domain());
        // A retry comes later, when it is no longer inside the reducer's caller.
        let reducer = match mode {
            DecisionMode::New | DecisionMode::Proposal | DecisionMode::Hypothetical => {
                stack::find_reducer(facts, graph, call, &action)
            }
            DecisionMode::Retry => None,
        };
        // One lookup for both: it is done for every action of every call.
        let open = facts.state.open_session(&call.session, facts.now);
        let restraints = match open {
            Some(open) => &open.restraints,
            None => facts.state.restraints(&call.session, facts.now),
        };
        let lineage = match open {
            Some(Session { above: None, .. }) => SessionLineage::Top,
            Some(_) | None => SessionLineage::MayBeBelow,
        };
        let mut context = Self {
            facts,
            graph,
            call,
            part,
            mode,
            action,
            found,
            rule,
            tier: None,
            domain,
            risk: Risk::ReadOnly,
            reducer,
            restraints,
            lineage,
            session_grants: facts.state.grants.held_by(OwnerRef::Session(&call.session)),
            candidates: OnceCell::new(),
            destination: OnceCell::new(),
        };
        context.tier = context.compute_tier();
        context.risk = context.compute_risk();
        context
    }

    /// The risk of the rule after reducers, raised by what this call adds.
    fn compute_risk(&self) -> Risk {
        let own = self.rule_risk();
        let base = self.reducer.map_or(own, |reducer| reducer.to.min(own));
        match self.part {
            Part::Declared => base,
            Part::Named => {
                let ruled = self.rule.map_or(&[][..], |rule| &rule.categories);
                let added = self
                    .given_categories()
                    .iter()
                    .chain(&self.call.claims.categories)
                    .filter(|category| !ruled.contains(category))
                    .map(Category::floor);
                let detectors = match self.class() {
                    Some(found) => &found.detectors,
                    None => &self.call.detectors,
                };
                let detected = detectors.iter().map(|_| Risk::High);
                let placed = self.places().iter().map(|place| place.risk());
                let endangered = self.dangers().iter().map(|danger| danger.kind.floor());
                added
                    .chain(detected)
                    .chain(placed)
                    .chain(endangered)
                    .chain(self.call.claims.risk)
                    .fold(base, Risk::max)
            }
        }
    }

    /// What was found, if the action comes from a class of commands.
    fn class(&self) -> Option<&FoundForAction> {
        self.found.as_deref().filter(|found| found.origin == ActionOrigin::Class)
    }

    pub fn is_of_class(&self) -> bool {
        self.class().is_some()
    }

    /// Whether a danger of the line adds the action: it has an answer of its own.
    pub fn is_added_by_danger(&self) -> bool {
        Danger::destroying_action().as_ref() == Some(&self.action)
    }

    /// The categories of the call besides those of the rule. A class replaces those of the tool.
    fn given_categories(&self) -> &'a [Category] {
        match (self.part, self.class()) {
            (Part::Declared, _) => &[],
            (Part::Named, Some(_)) => &self.call.observed.categories,
            (Part::Named, None) => &self.call.given,
        }
    }

    /// The places of its paths that the action itself does not stand for.
    pub fn places(&self) -> &[Place] {
        self.found.as_deref().map_or(&[], |found| &found.places)
    }

    /// Where it acts.
    pub fn within(&self) -> &[Bound] {
        self.found.as_deref().map_or(&[], |found| &found.within)
    }

    /// The heads of its commands; empty if one of them has none.
    pub fn heads(&self) -> &[CommandHead] {
        self.found.as_deref().map_or(&[], |found| &found.heads)
    }

    /// What its commands endanger.
    pub fn dangers(&self) -> &[Danger] {
        self.found.as_deref().map_or(&[], |found| &found.dangers)
    }

    /// Whether its commands download code and run it: a yes holds for one call.
    pub fn runs_foreign_code(&self) -> bool {
        self.dangers().iter().any(|danger| danger.kind == DangerKind::ForeignCode)
    }

    /// Whether something unusual was found in the commands that do the action.
    pub fn has_detectors(&self) -> bool {
        !self.call.detectors.is_empty()
            || self.found.as_deref().is_some_and(|found| !found.detectors.is_empty())
            || self.dangers().iter().any(Danger::raises)
    }

    pub fn stands_for_place(&self) -> bool {
        self.found.as_deref().is_some_and(|found| found.stands_for_place == StandsForPlace::Yes)
    }

    /// Whether a place keeps the action from passing as an ordinary one: in every domain, no rule
    /// reaches a place that the action does not stand for.
    pub fn is_held_by_place(&self) -> bool {
        !self.places().is_empty()
    }

    pub fn rule_risk(&self) -> Risk {
        self.rule.map_or(Rule::UNCLASSIFIED_RISK, |rule| rule.risk)
    }

    fn compute_tier(&self) -> Option<Tier> {
        let tier = self.facts.ruled.tier(&self.action, self.listed_tier())?;
        match (tier, self.allowing_rules()) {
            (Tier::RequiresApproval, Some(_)) => Some(Tier::Autonomous),
            (Tier::Autonomous | Tier::RequiresApproval | Tier::Blocked, _) => Some(tier),
        }
    }

    /// The tier in the graph's lists.
    pub fn listed_tier(&self) -> Option<Tier> {
        self.rule.map(|rule| rule.tier)
    }

    /// The command rules that allow this call's command line. They do not count for actions that
    /// the call only declares.
    fn allowing_rules(&self) -> Option<&'a [String]> {
        match self.part {
            Part::Named if self.is_held_by_place() => None,
            Part::Named => self
                .facts
                .ruled
                .allowing_rules(&self.action)
                .filter(|_| are_programs_pinned(self.facts, self.call)),
            Part::Declared => None,
        }
    }

    /// What the tier is based on.
    pub fn tier_basis(&self) -> Basis {
        let by = self.facts.ruled.policies.get(&self.action);
        if let Some(error) = by.and_then(|by| by.error.as_ref()) {
            return Basis::NotEvaluated(error.clone());
        }
        match (by.filter(|by| !by.policies.is_empty()), self.allowing_rules()) {
            (Some(by), _) if Some(by.tier) == self.tier => Basis::Policies(by.policies.clone()),
            (_, Some(rules)) if self.tier == Some(Tier::Autonomous) => {
                Basis::Commands(rules.to_vec())
            }
            (_, _) => Basis::Rule,
        }
    }

    pub fn is_decayed(&self) -> bool {
        self.tier == Some(Tier::Autonomous)
            && self.graph.is_decayed(self.domain, self.facts.now.date())
    }

    pub fn can_be_undone(&self) -> bool {
        let of_call = match self.class() {
            // A class replaces what the tool says; what the agent says still counts.
            Some(_) => self.call.claims.undo.filter(|undo| *undo == Undo::Irreversible),
            None => self.call.undo,
        };
        let undo = match of_call {
            Some(undo) if self.part == Part::Named => undo,
            Some(_) | None => self.rule.map_or(Undo::Irreversible, Rule::assumed_undo),
        };
        undo == Undo::Reversible
    }

    /// Whether the workflow of the call's run asks about this action one by one.
    pub fn is_individual(&self) -> bool {
        let workflow = find_workflow(self.facts, self.call);
        workflow
            .is_some_and(|workflow| workflow.is_individual(&self.action, self.call.step.as_ref()))
    }

    /// The categories that a category grant can cover: those of the rule and of the tool.
    pub fn covered_categories(&self) -> impl Iterator<Item = &'a Category> + use<'a> {
        self.rule.map_or(&[][..], |rule| &rule.categories).iter().chain(self.given_categories())
    }

    /// The categories that category grants have to cover, all of them.
    pub fn needed_categories(&self) -> Vec<&'a Category> {
        let claimed = match self.part {
            Part::Named => &self.call.claims.categories[..],
            Part::Declared => &[],
        };
        let mut needed: Vec<_> =
            self.covered_categories().chain(claimed).filter(|c| c.needs_cover()).collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// The call's event and destination, if the domain allows one destination per event.
    pub fn destination(&self) -> Option<EventDestination> {
        self.domain.filter(|domain| domain.destinations == Destinations::One)?;
        self.destination.get_or_init(|| self.compute_destination()).clone()
    }

    fn compute_destination(&self) -> Option<EventDestination> {
        let target = match self.call.target.as_slice() {
            [] => return None,
            [one] => one.clone(),
            several => several.join("\n"),
        };
        Some(EventDestination {
            domain: self.action.domain().to_owned(),
            event: self.event_digest(),
            target,
        })
    }

    fn event_digest(&self) -> Digest {
        let form = match self.call.args.get("event") {
            Some(event) => json!({"event": event}),
            None => json!({"args": arguments_without_target(self)}),
        };
        // The arguments had a canonical form when the call was made.
        Digest::hash_value("countersign/event/v1", &form).unwrap_or(self.call.digest)
    }

    pub fn verdict(
        &self,
        outcome: Outcome,
        reason: Reason,
        basis: Basis,
        nearest: NearestChange,
    ) -> Verdict {
        Verdict {
            action: self.action.clone(),
            part: self.part,
            outcome,
            reason,
            risk: self.risk,
            tier: self.tier,
            basis,
            nearest,
            reduced_by: self.reducer.map(|reducer| reducer.caller.clone()),
            destination: self.destination(),
            places: self.places().to_vec(),
        }
    }

    pub fn deny(&self, reason: Reason, basis: Basis, nearest: NearestChange) -> Option<Verdict> {
        Some(self.verdict(Outcome::Deny, reason, basis, nearest))
    }

    pub fn allow(&self, reason: Reason, basis: Basis, nearest: NearestChange) -> Option<Verdict> {
        Some(self.verdict(Outcome::Allow, reason, basis, nearest))
    }
}

/// The arguments without the target that the tool mapping points to.
fn arguments_without_target(q: &ActionContext) -> Value {
    let mapping = q.call.tool.as_ref().and_then(|tool| q.graph.tool(tool.as_str()));
    let mut args = q.call.args.clone();
    for (above, key) in mapping.iter().flat_map(|m| &m.target).filter_map(|p| p.rsplit_once('/')) {
        if let Some(Value::Object(fields)) = args.pointer_mut(above) {
            fields.remove(&key.replace("~1", "/").replace("~0", "~"));
        }
    }
    args
}

/// The word that Consent Graph printed for an action at a confidence. A decayed permission counts as
/// `requires_approval`, and confidence does not help it. Enforcement may be stricter.
pub fn printed_tier(graph: &Graph, action: &Action, confidence: f64, today: Date) -> Printed {
    let domain = graph.domains.get(action.domain());
    let visible = graph.visible(domain);
    match graph.rule(action).map(|rule| rule.tier) {
        Some(Tier::Autonomous) if graph.is_decayed(domain, today) => Printed::Forced,
        Some(Tier::Autonomous) => Printed::Silent,
        Some(Tier::RequiresApproval) if confidence >= visible.threshold => Printed::Visible,
        Some(Tier::RequiresApproval) | None => Printed::Forced,
        Some(Tier::Blocked) => Printed::Blocked,
    }
}
