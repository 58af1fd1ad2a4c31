//! The actions that a call is decided as.
//!
//! A call names actions. A class of commands, an unknown recipient or the place of a path can turn
//! one of them into another action, or into several.

use crate::decide::facts::Facts;
use crate::model::call::{Call, Part};
use crate::model::danger::{Danger, DangerKind};
use crate::model::grant::Grant;
use crate::model::graph::{AskingRule, ChannelRule, Graph, Rule};
use crate::model::names::Action;
use crate::model::place::{
    ActionOrigin, Bound, CommandHead, Findings, PinnedProgram, Place, StandsForPlace,
};
use crate::model::rule_results::RuleResults;
use crate::model::run_file::RunFile;
use crate::model::words::{Detector, Risk, Tier};
use crate::state::grants::{Cover, OwnerRef};

/// One action as it is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedAction {
    pub action: Action,
    pub part: Part,
    /// None if nothing was found about it, as for most calls.
    pub found: Option<Box<FoundForAction>>,
}

/// What was found about the commands or paths for which a call does one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundForAction {
    pub origin: ActionOrigin,
    /// Places that the action itself does not stand for.
    pub places: Vec<Place>,
    /// Whether the action stands for a place.
    pub stands_for_place: StandsForPlace,
    pub within: Vec<Bound>,
    /// The heads of the commands that do the action; empty if one of them has none.
    pub heads: Vec<CommandHead>,
    pub detectors: Vec<Detector>,
    pub dangers: Vec<Danger>,
}

impl DecidedAction {
    fn plain(action: Action, part: Part) -> Self {
        Self { action, part, found: None }
    }
}

impl From<(&Action, Part)> for DecidedAction {
    fn from((action, part): (&Action, Part)) -> Self {
        Self::plain(action.clone(), part)
    }
}

/// The actions that a call is decided as, each once: those that it does, then those that it
/// declares.
pub fn list_decided_actions(facts: &Facts, graph: &Graph, call: &Call) -> Vec<DecidedAction> {
    // Most calls, and every decision pays for this.
    if facts.ruled.findings.is_empty() {
        return list_plain_actions(facts, graph, call);
    }
    let mut decided = Vec::new();
    let named = list_base_actions(facts, graph, call);
    for base in &named {
        let action = resolve_recipients(facts, graph, &base.action, call);
        match base.findings.is_empty() {
            true => push_unique(&mut decided, DecidedAction::plain(action, Part::Named)),
            false => {
                add_by_place(&mut decided, graph, facts, &BaseAction { action, ..base.clone() })
            }
        }
    }
    if let Some(destroying) = find_destroying_action(graph, &facts.ruled.findings) {
        push_unique(&mut decided, destroying);
    }
    // A declared action that a class replaced is decided too: calls inside this one may do it.
    let is_named = |action: &&Action| named.iter().any(|base| base.action == **action);
    for action in call.declares.iter().filter(|action| !is_named(action)) {
        let action = resolve_recipients(facts, graph, action, call);
        push_unique(&mut decided, DecidedAction::plain(action, Part::Declared));
    }
    decided
}

/// The action that a catastrophe adds, if the graph lists it.
fn find_destroying_action(graph: &Graph, findings: &[Findings]) -> Option<DecidedAction> {
    let is_catastrophe = |danger: &Danger| danger.kind == DangerKind::Catastrophe;
    let is_found = |finding: &&Findings| finding.dangers.iter().any(is_catastrophe);
    if !findings.iter().any(|finding| is_found(&finding)) {
        return None;
    }
    let action = Danger::destroying_action().filter(|action| graph.rule(action).is_some())?;
    let mut found = FoundForAction {
        origin: ActionOrigin::Class,
        places: Vec::new(),
        stands_for_place: StandsForPlace::No,
        within: Vec::new(),
        heads: Vec::new(),
        detectors: Vec::new(),
        dangers: Vec::new(),
    };
    for finding in findings.iter().filter(is_found) {
        push_missing(&mut found.within, finding.within.clone());
        push_missing(&mut found.dangers, finding.dangers.clone());
    }
    Some(DecidedAction { action, part: Part::Named, found: Some(Box::new(found)) })
}

/// The actions of a call about whose commands and paths nothing was found.
fn list_plain_actions(facts: &Facts, graph: &Graph, call: &Call) -> Vec<DecidedAction> {
    let mut decided = Vec::with_capacity(call.actions.len() + call.declares.len());
    for (action, part) in call.parts() {
        let action = resolve_recipients(facts, graph, action, call);
        push_unique(&mut decided, DecidedAction::plain(action, part));
    }
    decided
}

/// Every action that the call may be decided as, whatever is pinned or blocked.
pub fn list_possible_actions(graph: &Graph, ruled: &RuleResults, call: &Call) -> Vec<Action> {
    let classes = ruled.findings.iter().flat_map(|finding| {
        let of_heads = finding.heads.iter().filter_map(|head| head.class.as_ref());
        finding.class.as_ref().into_iter().chain(of_heads)
    });
    let mut possible = Vec::new();
    for base in call.parts().map(|(action, _)| action).chain(classes) {
        let action = effective_action(graph, base, &call.recipients);
        let places = ruled.findings.iter().flat_map(|finding| finding.paths.iter().flatten());
        possible.extend(places.filter_map(|place| place.action_for(&action)));
        possible.extend([base.clone(), action]);
    }
    let destroying = find_destroying_action(graph, &ruled.findings);
    possible.extend(destroying.map(|destroying| destroying.action));
    possible.sort_unstable();
    possible.dedup();
    possible
}

/// Of two entries with the same action the stricter findings count: those of both.
fn push_unique(decided: &mut Vec<DecidedAction>, new: DecidedAction) {
    let same = |one: &&mut DecidedAction| one.action == new.action && one.part == new.part;
    match decided.iter_mut().find(same) {
        None => decided.push(new),
        Some(known) => match (&mut known.found, new.found) {
            (Some(known), Some(new)) => known.merge(*new),
            (known @ None, Some(new)) => *known = Some(new),
            (_, None) => {}
        },
    }
}

impl FoundForAction {
    fn merge(&mut self, other: Self) {
        push_missing(&mut self.places, other.places);
        push_missing(&mut self.within, other.within);
        push_missing(&mut self.detectors, other.detectors);
        push_missing(&mut self.dangers, other.dangers);
        // What the call itself names keeps the categories and detectors of the whole call.
        if other.origin == ActionOrigin::Call {
            self.origin = ActionOrigin::Call;
        }
        if other.stands_for_place == StandsForPlace::Yes {
            self.stands_for_place = StandsForPlace::Yes;
        }
        match self.heads.is_empty() || other.heads.is_empty() {
            true => self.heads.clear(),
            false => push_missing(&mut self.heads, other.heads),
        }
    }
}

fn push_missing<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// An action before recipients and places are looked at, with the findings about it.
#[derive(Clone)]
struct BaseAction<'a> {
    action: Action,
    origin: ActionOrigin,
    findings: Vec<&'a Findings>,
}

fn list_base_actions<'a>(facts: &'a Facts, graph: &Graph, call: &Call) -> Vec<BaseAction<'a>> {
    let findings = &facts.ruled.findings;
    let of_call = |action: &Action| BaseAction {
        action: action.clone(),
        origin: ActionOrigin::Call,
        findings: findings.iter().collect(),
    };
    if !has_classes(facts, call) {
        return call.actions.iter().map(of_call).collect();
    }
    let mapping = call.tool.as_ref().map(|tool| graph.tool(tool.as_str()));
    // A class replaces the actions of the tool. What the call names besides stays.
    let stays = |action: &&Action| {
        mapping.is_some_and(|mapping| mapping.is_none_or(|m| !m.actions.contains(action)))
    };
    let mut base: Vec<BaseAction> = call.actions.iter().filter(stays).map(of_call).collect();
    for finding in findings {
        let Some(class) = &finding.class else { continue };
        match base.iter_mut().find(|base| base.action == *class) {
            Some(known) => known.findings.push(finding),
            None => base.push(BaseAction {
                action: class.clone(),
                origin: ActionOrigin::Class,
                findings: vec![finding],
            }),
        }
    }
    base
}

/// Whether classes cover every command of the line, started from programs that the agent cannot
/// replace or that the operator pinned.
pub(crate) fn has_classes(facts: &Facts, call: &Call) -> bool {
    let findings = &facts.ruled.findings;
    call.command.is_some()
        && !findings.is_empty()
        && findings.iter().all(|finding| finding.class.is_some())
        && are_programs_pinned(facts, call)
}

/// Whether the operator pinned every program of the line that the agent could replace.
pub(crate) fn are_programs_pinned(facts: &Facts, call: &Call) -> bool {
    facts.ruled.programs.iter().all(|program| is_pinned(facts, call, program))
}

/// The same for the programs that exist: what an operator names word by word may be a function of the
/// shell, of which nothing is on the disk.
pub(crate) fn are_existing_programs_pinned(facts: &Facts, call: &Call) -> bool {
    let mut existing = facts.ruled.programs.iter().filter(|program| !program.is_absent());
    existing.all(|program| is_pinned(facts, call, program))
}

/// The same for the programs that can be read: a yes to one call pins these, and holds while they
/// stay as they were.
pub(crate) fn are_readable_programs_pinned(facts: &Facts, call: &Call) -> bool {
    let mut readable = facts.ruled.programs.iter().filter(|program| !program.hash.is_empty());
    readable.all(|program| is_pinned(facts, call, program))
}

/// Whether a live grant pins this content: for the agent in this session or its project, or for the
/// user.
pub(crate) fn is_pinned(facts: &Facts, call: &Call, program: &PinnedProgram) -> bool {
    if program.hash.is_empty() {
        return false;
    }
    let owners =
        [Some(OwnerRef::Session(&call.session)), call.project.as_ref().map(OwnerRef::Project)];
    let find = |owner| facts.state.grants.candidates(owner, Cover::Program(program));
    let is_pin_here = |grant: &Grant| grant.agent == call.agent && grant.is_usable_pin(facts.now);
    owners.into_iter().flatten().any(|owner| find(owner).any(is_pin_here))
        || find(OwnerRef::User).any(|grant| grant.is_usable_pin(facts.now))
}

/// The files that decide what the line of a call executes and that differ from what its session saw.
pub(crate) fn find_changed_files<'a>(facts: &Facts<'a>, call: &Call) -> Vec<&'a RunFile> {
    if facts.ruled.run_files.is_empty() {
        return Vec::new();
    }
    let seen = &facts.state.restraints(&call.session, facts.now).run_files;
    facts.ruled.run_files.iter().filter(|file| seen.differs(file)).collect()
}

/// The action for the recipients of the call, unless a policy blocks it as it is.
fn resolve_recipients(facts: &Facts, graph: &Graph, action: &Action, call: &Call) -> Action {
    match facts.ruled.blocks(action) {
        true => action.clone(),
        false => effective_action(graph, action, &call.recipients),
    }
}

/// Adds the action for each place that its paths lead to. A blocked action stays what it is.
fn add_by_place(decided: &mut Vec<DecidedAction>, graph: &Graph, facts: &Facts, base: &BaseAction) {
    let action = &base.action;
    let is_blocked = facts.ruled.blocks(action)
        || graph.rule(action).is_some_and(|rule| rule.tier == Tier::Blocked);
    for finding in &base.findings {
        let ordinary = [Vec::new()];
        let paths = if finding.paths.is_empty() { &ordinary[..] } else { &finding.paths };
        for places in paths {
            let listed = match is_blocked {
                true => None,
                false => find_listed_place(graph, action, places),
            };
            let found = |places: &[Place], stands_for_place| {
                Some(Box::new(FoundForAction {
                    origin: base.origin,
                    places: places.to_vec(),
                    stands_for_place,
                    within: finding.within.clone(),
                    heads: list_heads(base.origin, finding),
                    detectors: finding.detectors.clone(),
                    dangers: finding.dangers.clone(),
                }))
            };
            let part = Part::Named;
            let one = match listed {
                Some((at, action)) => {
                    let before = places.get(..at).unwrap_or_default();
                    DecidedAction { action, part, found: found(before, StandsForPlace::Yes) }
                }
                None => DecidedAction {
                    action: action.clone(),
                    part,
                    found: found(places, StandsForPlace::No),
                },
            };
            push_unique(decided, one);
        }
    }
}

/// The heads of a finding. A command that has a class keeps it where the action is the call's own, as
/// it is before its program is pinned.
fn list_heads(origin: ActionOrigin, finding: &Findings) -> Vec<CommandHead> {
    let mut heads = finding.heads.clone();
    if origin == ActionOrigin::Call {
        for head in heads.iter_mut().filter(|head| head.class.is_none()) {
            head.class.clone_from(&finding.class);
        }
    }
    heads
}

/// The first place for which the domain lists an action of its own.
fn find_listed_place(graph: &Graph, action: &Action, places: &[Place]) -> Option<(usize, Action)> {
    places.iter().enumerate().find_map(|(at, place)| {
        let listed = place.action_for(action).filter(|action| graph.rule(action).is_some())?;
        Some((at, listed))
    })
}

/// The action as it is decided: a send to an unknown recipient becomes the domain's `send_unknown`
/// action, if it lists one.
pub fn effective_action(graph: &Graph, action: &Action, recipients: &[String]) -> Action {
    if !action.verb().starts_with("send") {
        return action.clone();
    }
    let known = !recipients.is_empty() && recipients.iter().all(|id| graph.is_contact(id));
    if known || graph.rule(action).is_some_and(|rule| rule.tier == Tier::Blocked) {
        return action.clone();
    }
    ["send_unknown", "send_to_unknown"]
        .iter()
        .filter_map(|verb| Action::new(action.domain(), verb).ok())
        .filter_map(|unknown| graph.rule(&unknown).map(|rule| (strictness(rule), unknown)))
        .max_by_key(|(strictness, _)| *strictness)
        .map_or_else(|| action.clone(), |(_, unknown)| unknown)
}

/// A sort key for rules by strictness: tier, then conditions, then risk.
fn strictness(rule: &Rule) -> (Tier, bool, bool, Risk) {
    let bound = rule.channel == ChannelRule::TrustedOnly;
    (rule.tier, bound, rule.asking == AskingRule::Always, rule.risk)
}
