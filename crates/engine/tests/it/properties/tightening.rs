//! A stricter graph never allows more.

use super::graphs::{action, an_action};
use super::tales::{Tale, tale};
use super::worlds::World;
use super::{Held, holds};
use countersign_core::decide;
use countersign_core::model::graph::{
    AskingRule, ChannelRule, Decay, Demand, Destinations, Graph, LastReview, Rule, StepConsent,
    Unclassified, WhenIdle,
};
use countersign_core::model::time::Date;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::{Risk, Tier, TrustLevel, Undo, VisiblePolicy};
use countersign_core::steps::retry::retry_call;
use proptest::prelude::*;
use proptest::sample::select;

/// One way to make a graph stricter about one action.
#[derive(Clone, Copy, Debug)]
enum Tighten {
    LaterTier,
    Blocked,
    Unlisted,
    NoReducers,
    OutOfWorkflows,
    AlwaysAsk,
    TrustedChannel,
    Diff,
    Cooling,
    UndoPlan,
    OneDestination,
    Individual,
    Irreversible,
    NotWhenIdle,
    NeverVisible,
    Distrusted,
    UnclassifiedDenied,
    Unreviewed,
}

const ALL: [Tighten; 18] = [
    Tighten::LaterTier,
    Tighten::Blocked,
    Tighten::Unlisted,
    Tighten::NoReducers,
    Tighten::OutOfWorkflows,
    Tighten::AlwaysAsk,
    Tighten::TrustedChannel,
    Tighten::Diff,
    Tighten::Cooling,
    Tighten::UndoPlan,
    Tighten::OneDestination,
    Tighten::Individual,
    Tighten::Irreversible,
    Tighten::NotWhenIdle,
    Tighten::NeverVisible,
    Tighten::Distrusted,
    Tighten::UnclassifiedDenied,
    Tighten::Unreviewed,
];

/// None where it would not be stricter.
fn tightened(graph: &Graph, at: usize, (how, today): (Tighten, Date)) -> Option<Graph> {
    let (mut graph, action) = (graph.clone(), action(at));
    let decayed = graph.is_decayed(graph.domains.get(action.domain()), today);
    let rule = graph.rules.get_mut(&action)?;
    let domain = graph.domains.get_mut(action.domain())?;
    match how {
        Tighten::LaterTier => {
            // A decayed permission is held back further than the tier after it: by no confidence.
            if decayed {
                return None;
            }
            let later = (rule.tier == Tier::Autonomous).then_some(Tier::RequiresApproval);
            rule.tier = later.unwrap_or(Tier::Blocked);
        }
        Tighten::Blocked => rule.tier = Tier::Blocked,
        Tighten::Unlisted => {
            let about_strangers = action.verb() == "send_unknown";
            if about_strangers || is_more_than_a_permission(rule) || domain.conditions.any() {
                return None;
            }
            graph.rules.remove(&action);
        }
        Tighten::NoReducers => graph.reducers.retain(|reducer| reducer.action != action),
        Tighten::OutOfWorkflows => {
            let workflows = graph.workflows.values_mut();
            workflows.for_each(|workflow| workflow.actions.retain(|one| *one != action));
        }
        Tighten::AlwaysAsk => rule.asking = AskingRule::Always,
        Tighten::TrustedChannel => rule.channel = ChannelRule::TrustedOnly,
        Tighten::Diff => domain.conditions.diff = Demand::Needed,
        Tighten::Cooling => domain.conditions.cooling_hours = Some(48),
        Tighten::UndoPlan => domain.conditions.undo_days = Some(7),
        Tighten::OneDestination => domain.destinations = Destinations::One,
        Tighten::Individual => {
            let steps = graph.workflows.values_mut().flat_map(|workflow| &mut workflow.steps);
            steps.for_each(|step| step.consent = StepConsent::Individual);
        }
        Tighten::Irreversible => rule.undo = Some(Undo::Irreversible),
        Tighten::NotWhenIdle => rule.when_idle = WhenIdle::Ask,
        Tighten::NeverVisible => domain.visible.policy = VisiblePolicy::Never,
        Tighten::Distrusted => domain.trust = Some(TrustLevel::Low),
        Tighten::UnclassifiedDenied => graph.unclassified = Unclassified::Deny,
        Tighten::Unreviewed => {
            (graph.decay, graph.last_reviewed) = (Decay::AfterDays(30), LastReview::Never);
        }
    }
    Some(graph)
}

/// A rule that demands something stands for more than leave to act: without it, less is demanded.
fn is_more_than_a_permission(rule: &Rule) -> bool {
    rule.tier == Tier::Blocked
        || rule.risk > Risk::High
        || rule.asking == AskingRule::Always
        || rule.channel == ChannelRule::TrustedOnly
}

fn allows_no_more(tale: &Tale, at: usize, how: Tighten) -> Held {
    let world = World::after(tale);
    let (state, graph) = (world.state(), world.graph());
    let today = world.engine.display_time().date();
    let Some(strict) = tightened(&graph, at, (how, today)) else { return Ok(()) };
    for call in world.probes() {
        let before = world.decided((&state, &graph), &call);
        let after = world.knowing(&state, &strict, |facts| decide(facts, &call));
        prop_assert!(after.outcome >= before.outcome, "{before:?}\nbecame\n{after:?}");
    }
    for record in state.calls.values() {
        let (session, agent) = (&record.call.session, &record.call.agent);
        let again =
            |graph| world.knowing(&state, graph, |f| retry_call(f, record.call.id, session, agent));
        let (before, after) = (again(&graph), again(&strict));
        prop_assert!(after.outcome >= before.outcome, "{before:?}\nbecame\n{after:?}");
    }
    Ok(())
}

#[test]
fn a_stricter_graph_never_allows_more() {
    super::try_on(&(tale(), an_action(), select(&ALL[..])), 640, |(tale, at, how)| {
        allows_no_more(&tale, at, how)
    });
}

#[test]
fn a_shorter_slash_command_never_allows_more() {
    holds(&tale(), |tale| {
        let mut outcomes = Vec::new();
        for kept in [2, 1, 0] {
            let mut world = World::after(&tale);
            let mut graph = (*world.graph()).clone();
            graph.slash.get_mut("go").unwrap().truncate(kept);
            world.engine.load_graph(graph).unwrap();
            world.gestures.clear();
            world.say(0, (Speaker::Operator, "/go"));
            let (state, graph) = (world.state(), world.graph());
            let decided = world
                .probes()
                .iter()
                .map(|c| world.decided((&state, &graph), c).outcome)
                .collect::<Vec<_>>();
            outcomes.push(decided);
        }
        for (more, fewer) in outcomes.iter().zip(&outcomes[1..]) {
            prop_assert!(more.iter().zip(fewer).all(|(more, fewer)| more <= fewer), "{outcomes:?}");
        }
        Ok(())
    });
}
