//! The actions that a call is decided as: classes of commands replace the actions of the tool, an
//! unknown recipient and a place of a path replace the action that the call names.

use super::lookups::{find_tool_mapping, resolve_recipient_action};
use super::pins::are_programs_pinned;
use countersign_core::decide::facts::Facts;
use countersign_core::model::call::{Call, Part};
use countersign_core::model::danger::DangerKind;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::place::{ActionOrigin, Findings, Place};
use countersign_core::model::words::Tier;

/// One action that a call is decided as, with what was found about its commands and paths.
#[derive(Clone)]
pub struct NaiveAction<'a> {
    pub action: &'a Action,
    pub part: Part,
    pub origin: ActionOrigin,
    pub findings: Vec<&'a Findings>,
    /// The places of its paths that the action does not stand for.
    pub places: Vec<Place>,
    pub stands_for_place: bool,
}

/// The actions of the call, then those that it only declares.
pub fn list_decided_actions<'a>(
    facts: &Facts<'a>,
    graph: &'a Graph,
    call: &'a Call,
) -> Vec<NaiveAction<'a>> {
    let named = list_named_actions(facts, graph, call);
    let is_named = |action: &&Action| named.iter().any(|known| known.action == *action);
    let declared = call.declares.iter().filter(|action| !is_named(action));
    let declared = declared.map(|action| start(action, Part::Declared, Vec::new()));
    let mut decided: Vec<NaiveAction> = Vec::new();
    let add = |decided: &mut Vec<NaiveAction<'a>>, mut one: NaiveAction<'a>| {
        one.action = resolve_recipient_action(facts, graph, call, one.action);
        split_by_place(facts, graph, &one).into_iter().for_each(|part| merge(decided, part));
    };
    named.iter().cloned().for_each(|one| add(&mut decided, one));
    list_destroying(facts, graph).into_iter().for_each(|one| merge(&mut decided, one));
    declared.for_each(|one| add(&mut decided, one));
    decided
}

/// What destroys the machine, a home folder or more is `system.destroy` too, in a graph that has that.
fn list_destroying<'a>(facts: &Facts<'a>, graph: &'a Graph) -> Option<NaiveAction<'a>> {
    let action = graph.rules.keys().find(|action| action.as_str() == "system.destroy")?;
    let is_catastrophe = |found: &&Findings| {
        found.dangers.iter().any(|danger| danger.kind == DangerKind::Catastrophe)
    };
    let findings: Vec<&Findings> = facts.ruled.findings.iter().filter(is_catastrophe).collect();
    let added =
        NaiveAction { origin: ActionOrigin::Class, ..start(action, Part::Named, Vec::new()) };
    (!findings.is_empty()).then_some(NaiveAction { findings, ..added })
}

fn start<'a>(action: &'a Action, part: Part, findings: Vec<&'a Findings>) -> NaiveAction<'a> {
    let (origin, places, stands_for_place) = (ActionOrigin::Call, Vec::new(), false);
    NaiveAction { action, part, origin, findings, places, stands_for_place }
}

/// If classes cover every command of the line, and nobody replaced a program of it, the classes stand
/// in for the actions of the tool. Without a tool they stand in for all actions.
fn list_named_actions<'a>(
    facts: &Facts<'a>,
    graph: &Graph,
    call: &'a Call,
) -> Vec<NaiveAction<'a>> {
    let findings = &facts.ruled.findings;
    let is_classed = !findings.is_empty() && findings.iter().all(|found| found.class.is_some());
    let by_class =
        is_classed && call.command.is_some() && are_programs_pinned(facts, call, |_| true);
    let mapping = find_tool_mapping(graph, call);
    let of_tool = |action: &Action| match &call.tool {
        Some(_) => mapping.is_some_and(|mapping| mapping.actions.contains(action)),
        None => true,
    };
    let kept = call.actions.iter().filter(|action| !by_class || !of_tool(action));
    let kept = kept.map(|action| start(action, Part::Named, findings.iter().collect()));
    let classes = findings.iter().filter(|_| by_class).filter_map(|found| {
        let of_call = start(found.class.as_ref()?, Part::Named, vec![found]);
        Some(NaiveAction { origin: ActionOrigin::Class, ..of_call })
    });
    let mut named = Vec::new();
    kept.chain(classes).for_each(|one| merge(&mut named, one));
    named
}

/// Each path is decided as the action of its first place that the graph lists; the places before that
/// one still raise the risk. A path that has no such place leaves the action as it is.
fn split_by_place<'a>(
    facts: &Facts,
    graph: &'a Graph,
    whole: &NaiveAction<'a>,
) -> Vec<NaiveAction<'a>> {
    let is_blocked = graph.rules.get(whole.action).is_some_and(|rule| rule.tier == Tier::Blocked)
        || facts.ruled.policies.get(whole.action).is_some_and(|by| by.tier == Tier::Blocked);
    let mut parts = Vec::new();
    for found in &whole.findings {
        let ordinary = [Vec::new()];
        let paths = if found.paths.is_empty() { &ordinary[..] } else { &found.paths };
        for path in paths {
            let mut part = NaiveAction { findings: vec![found], ..whole.clone() };
            for place in path {
                match find_place_action(graph, whole.action, *place) {
                    Some(listed) if !is_blocked => {
                        (part.action, part.stands_for_place) = (listed, true);
                        break;
                    }
                    Some(_) | None => part.places.push(*place),
                }
            }
            parts.push(part);
        }
    }
    if parts.is_empty() { vec![whole.clone()] } else { parts }
}

/// The action that the graph lists for a deed at this place.
fn find_place_action<'a>(graph: &'a Graph, action: &Action, place: Place) -> Option<&'a Action> {
    let ending = match place {
        Place::Secret => "_secret",
        Place::WriteGuarded => "_guarded",
        Place::WriteOutside | Place::ReadOutside => "_outside_workspace",
    };
    let name = Action::parse(&format!("{action}{ending}")).ok()?;
    graph.rules.get_key_value(&name).map(|(listed, _)| listed)
}

fn merge<'a>(decided: &mut Vec<NaiveAction<'a>>, part: NaiveAction<'a>) {
    let same = |known: &&mut NaiveAction| (known.action, known.part) == (part.action, part.part);
    let Some(known) = decided.iter_mut().find(same) else { return decided.push(part) };
    known.findings.extend(part.findings);
    known.places.extend(part.places);
    known.stands_for_place |= part.stands_for_place;
    // What the call itself names keeps the categories and detectors of the call.
    if part.origin == ActionOrigin::Call {
        known.origin = part.origin;
    }
}
