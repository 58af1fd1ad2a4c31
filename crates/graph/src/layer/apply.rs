//! Puts a layer in force beside a graph. The result is a graph.

use super::Layer;
use crate::places::PlacePattern;
use countersign_core::model::graph::{
    AppliedLayer, ChannelRule, Conditions, Demand, Destinations, Domain, Graph, LayerRef,
    LayerStanding, Rule,
};
use countersign_core::model::names::Action;
use countersign_core::model::place::Place;
use countersign_core::model::words::Tier;

/// The graph with the rules of a layer. Without trust no rule becomes looser, whatever the layer says;
/// and nothing that the graph blocks is opened, with trust either.
pub fn apply_layer(graph: &Graph, layer: &Layer, standing: LayerStanding) -> Graph {
    let of = LayerRef { hash: layer.hash, standing };
    let mut applied = AppliedLayer::new(of, String::new());
    let mut merged = graph.clone();
    for (action, tier) in &layer.tiers {
        if move_action(&mut merged, action, *tier, standing) {
            let before = graph.rule(action).map(|rule| rule.tier);
            applied.moved.insert(action.clone(), before);
        }
    }
    for action in &layer.channel_bound {
        if let Some(rule) = merged.rules.get_mut(action)
            && rule.channel == ChannelRule::Any
        {
            rule.channel = ChannelRule::TrustedOnly;
            applied.channel_bound.insert(action.clone());
        }
    }
    for (name, added) in &layer.conditions {
        if let Some(domain) = merged.domains.get_mut(name) {
            let before = domain.conditions;
            domain.conditions = join_conditions(before, *added);
            if domain.conditions != before {
                applied.conditioned.insert(name.clone());
            }
        }
    }
    let trusts = standing == LayerStanding::Trusted;
    let new_rules = |known: &[String], added: &[String]| -> Vec<String> {
        added.iter().filter(|rule| !known.contains(rule)).cloned().collect()
    };
    applied.deny = new_rules(&merged.commands.deny, &layer.commands.deny);
    merged.commands.deny.extend(applied.deny.clone());
    if trusts {
        applied.allow = new_rules(&merged.commands.allow, &layer.commands.allow);
        merged.commands.allow.extend(applied.allow.clone());
    }
    let is_admitted =
        |pattern: &&String| trusts || !pattern.starts_with(PlacePattern::EXCEPTION_MARK);
    let places = |added: &[String], known: &[String]| -> Vec<String> {
        let added: Vec<String> = added.iter().filter(is_admitted).cloned().collect();
        new_rules(known, &added)
    };
    applied.secrets = places(&layer.secrets, &merged.secrets);
    applied.guarded = places(&layer.guarded, &merged.guarded);
    merged.secrets.extend(applied.secrets.clone());
    merged.guarded.extend(applied.guarded.clone());
    if !applied.secrets.is_empty() || !applied.guarded.is_empty() {
        tighten_place_rules(&mut merged);
    }
    merged.layer = Some(Box::new(applied));
    merged
}

/// Whether the layer decides the tier of the action from now on.
fn move_action(graph: &mut Graph, action: &Action, tier: Tier, standing: LayerStanding) -> bool {
    let trusts = standing == LayerStanding::Trusted;
    match graph.rules.get_mut(action) {
        Some(rule) if rule.tier == tier || rule.tier == Tier::Blocked => false,
        Some(rule) if tier > rule.tier => {
            rule.tighten_to(tier);
            true
        }
        Some(rule) if trusts => {
            rule.tier = tier;
            true
        }
        Some(_) => false,
        // What no list names asks anyway. A list entry would let an answer cover more of it.
        None if tier == Tier::Blocked || trusts => {
            graph.rules.insert(action.clone(), Rule::from_tier(tier));
            add_domain(graph, action.domain());
            true
        }
        None => false,
    }
}

fn add_domain(graph: &mut Graph, name: &str) {
    if graph.domains.get(name).is_some() {
        return;
    }
    let domain = Domain {
        trust: None,
        last_reviewed: None,
        visible: graph.visible,
        destinations: Destinations::Any,
        conditions: Conditions::NONE,
    };
    let known = graph.domains.iter().map(|(name, domain)| (name.clone(), domain.clone()));
    graph.domains = known.chain([(name.to_owned(), domain)]).collect();
}

/// Both conditions at once: a diff if one of them demands it, and the longer cooling.
fn join_conditions(one: Conditions, other: Conditions) -> Conditions {
    let needs_diff = [one.diff, other.diff].contains(&Demand::Needed);
    Conditions {
        diff: if needs_diff { Demand::Needed } else { Demand::NotNeeded },
        cooling_hours: one.cooling_hours.max(other.cooling_hours),
        undo_days: one.undo_days.or(other.undo_days),
    }
}

/// A path is decided by the first of its places that the graph lists. A place that the layer adds must
/// not lead to a rule that is looser than the one before.
fn tighten_place_rules(graph: &mut Graph) {
    let actions: Vec<Action> = graph.rules.keys().cloned().collect();
    for action in actions {
        let by_place: Vec<Action> =
            Place::ALL.iter().filter_map(|place| place.action_for(&action)).collect();
        for (at, place) in by_place.iter().enumerate() {
            let later = by_place.get(at.saturating_add(1)..).unwrap_or_default();
            let others: Vec<Rule> = std::iter::once(&action)
                .chain(later)
                .filter_map(|other| graph.rules.get(other).cloned())
                .collect();
            if let Some(rule) = graph.rules.get_mut(place) {
                others.iter().for_each(|other| rule.tighten_by(other));
            }
        }
    }
}
