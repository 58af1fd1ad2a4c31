//! Calls that aim at something: at a grant, a click, a running call, a run, a rule.
//!
//! Random calls seldom meet what is rare. An aimed one is plain but for what it aims at, and may
//! still miss: what it finds can be over, belong to somebody else or demand more.

use super::{World, names};
use crate::chance::Chance;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::command::{Analysed, Command};
use countersign_core::model::grant::{Coverage, Grant, Source};
use countersign_core::model::graph::{Rule, StepConsent, WhenIdle};
use countersign_core::model::names::{Action, SessionName};
use countersign_core::model::words::{Channel, Initiator, Risk};
use countersign_core::state::{CallRecord, CallState};

/// None if there is nothing to aim at.
pub fn aimed(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    match chance.below(12) {
        0..3 => at_a_grant(world, chance),
        3..6 => inside_a_call(world, chance),
        6..8 => at_a_click(world, chance),
        8..11 => at_a_rule(world, chance),
        _ => inside_a_run(world, chance),
    }
}

/// A call with nothing special about it, by the agent that the session belongs to.
fn plain(
    world: &World,
    chance: &mut Chance,
    session: &SessionName,
    action: Action,
) -> Option<CallDraft> {
    let open = world.state.sessions.get(session);
    let agent = open.map(|open| open.agent.clone()).or_else(|| names::agent(chance))?;
    let mut draft = CallDraft::plain(agent, session.clone(), action);
    draft.target = vec![if chance.percent(80) { "ann@here" } else { "bob@here" }.to_owned()];
    if chance.percent(50) {
        draft.parking = Parking::Allowed;
    }
    if chance.percent(30) {
        draft.observed.channel = Channel::Trusted;
    }
    Some(draft)
}

fn at_a_grant(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let mut grants: Vec<&Grant> = world.state.grants.iter().collect();
    match chance.below(10) {
        0..4 => grants.retain(|grant| grant.source == Source::Plan),
        4..7 => grants.retain(|grant| grant.source == Source::Category),
        _ => {}
    }
    let grant = *chance.pick(&grants)?;
    let action = match &grant.coverage {
        Coverage::Digest { action, .. } | Coverage::Step { action, .. } => action.clone(),
        Coverage::Action(action) => action.clone(),
        Coverage::Category(category) => {
            with_rule(world, chance, |rule| rule.categories.contains(category))?
        }
        Coverage::Run { carries, beyond, .. } => {
            let from = if chance.percent(70) { carries } else { beyond };
            chance.pick(from)?.clone()
        }
        Coverage::Command { .. } | Coverage::Class { .. } | Coverage::Everything => {
            names::action(chance)?
        }
    };
    let mut draft = plain(world, chance, &grant.made_in, action)?;
    if chance.percent(85) {
        draft.run = grant.run;
    }
    if chance.percent(15) {
        draft.claims.categories.push(names::category(chance)?);
    }
    if let Coverage::Command { argv, cwd, .. } = &grant.coverage {
        let command = Command::Plain { argv: filled(argv), cwd: cwd.clone() };
        draft.command = Some(Analysed { command, detectors: Vec::new() });
    }
    Some(draft)
}

/// A granted command with something in the place of its open argument.
fn filled(argv: &[String]) -> Vec<String> {
    let fill = |word: &String| if word.starts_with('<') { "here".to_owned() } else { word.clone() };
    argv.iter().map(fill).collect()
}

fn inside_a_call(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let records = world.state.calls.values();
    let mut running: Vec<&CallRecord> =
        records.filter(|record| record.state == CallState::Executing).collect();
    running.sort_unstable_by_key(|record| record.call.id);
    let outer = *chance.pick(&running)?;
    let action = match chance.pick(&outer.call.declares) {
        Some(declared) if chance.percent(80) => declared.clone(),
        Some(_) | None => names::action(chance)?,
    };
    let mut draft = plain(world, chance, &outer.call.session, action)?;
    draft.observed.parent = Some(outer.call.id);
    Some(draft)
}

fn at_a_click(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let gestures: Vec<_> = world.state.gestures.values().collect();
    let gesture = *chance.pick(&gestures)?;
    let action = chance.pick(&gesture.declares)?.clone();
    let mut draft = plain(world, chance, &gesture.session, action)?;
    draft.observed.initiator = Initiator::Operator;
    draft.observed.gesture = Some(gesture.id);
    Some(draft)
}

/// Reading, or what may pass while the operator is idle.
fn at_a_rule(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let reading = chance.percent(25);
    let action = with_rule(world, chance, |rule| match reading {
        true => rule.risk == Risk::ReadOnly,
        false => rule.risk == Risk::Low && rule.when_idle == WhenIdle::Pass,
    })?;
    let session = names::session(chance)?.0;
    plain(world, chance, &session, action)
}

fn with_rule(world: &World, chance: &mut Chance, fits: impl Fn(&Rule) -> bool) -> Option<Action> {
    let rules = world.graph.as_ref()?.rules.iter().filter(|(_, rule)| fits(rule));
    let mut actions: Vec<&Action> = rules.map(|(action, _)| action).collect();
    actions.sort_unstable();
    chance.pick(&actions).map(|action| (*action).clone())
}

/// In a step that asks one by one, or with an action that one lists.
fn inside_a_run(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let runs: Vec<_> = world.state.runs.values().collect();
    let run = *chance.pick(&runs)?;
    let workflow = world.graph.as_ref()?.workflows.get(&run.workflow)?;
    let steps = workflow.steps.iter();
    let steps: Vec<_> = steps.filter(|step| step.consent == StepConsent::Individual).collect();
    let step = *chance.pick(&steps)?;
    let action = match chance.pick(&step.actions) {
        Some(listed) if chance.percent(60) => listed.clone(),
        Some(_) | None => names::action(chance)?,
    };
    let mut draft = plain(world, chance, &run.session, action)?;
    draft.run = Some(run.id);
    if chance.percent(60) {
        draft.step = Some(step.name.clone());
    }
    Some(draft)
}
