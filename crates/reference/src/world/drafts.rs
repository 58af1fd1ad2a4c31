//! Random calls: mostly plain, each of their facets now and then.

use super::{World, names};
use crate::chance::Chance;
use countersign_core::model::call::{Call, CallDraft, Claims, Definition, Observed, Parking};
use countersign_core::model::command::{Analysed, Command};
use countersign_core::model::ids::{CallId, Fresh, GestureId, RunId};
use countersign_core::model::names::{Action, SessionName, Step, Tool};
use countersign_core::model::words::{Channel, Detector, Initiator, Risk, Undo};
use countersign_core::state::CallState;
use serde_json::{Value, json};

pub fn random(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let (session, mut agent, project) = names::session(chance)?;
    if chance.percent(2) {
        agent = names::agent(chance)?;
    }
    let count = *chance.pick(&[1, 1, 1, 1, 1, 1, 2, 3])?;
    let declared = *chance.pick(&[0, 0, 0, 1, 2])?;
    let tool = if chance.percent(25) { Some(names::tool(chance)?) } else { None };
    let run = if chance.percent(40) { run(world, chance, &session) } else { None };
    let step = match run {
        Some(_) if chance.percent(30) => Some(step(chance)?),
        Some(_) => None,
        None if chance.percent(1) => Some(step(chance)?),
        None => None,
    };
    Some(CallDraft {
        project: if chance.percent(50) { project } else { None },
        actions: names::actions(chance, count)?,
        declares: names::actions(chance, declared)?,
        args: args(chance)?,
        target: target(chance)?,
        command: command(chance, tool.as_ref())?,
        cwd: None,
        run,
        step,
        claims: claims(chance)?,
        observed: observed(world, chance, &session)?,
        parking: if chance.percent(40) { Parking::Allowed } else { Parking::Refused },
        agent,
        session,
        tool,
    })
}

fn args(chance: &mut Chance) -> Option<Value> {
    Some(match chance.below(20) {
        0..12 => json!({}),
        12..15 => json!({"event": *chance.pick(&["e1", "e2"])?}),
        15..18 => json!({"to": *chance.pick(&names::TARGETS)?, "text": "hi"}),
        18 => json!({"who": [*chance.pick(&names::TARGETS)?]}),
        _ => json!({"deep": {"path": ["/var/ours"]}}),
    })
}

fn target(chance: &mut Chance) -> Option<Vec<String>> {
    let count = *chance.pick(&[0, 1, 1, 1, 1, 2])?;
    let common = ["ann@here", "bob@here"];
    let from = if chance.percent(90) { &common[..] } else { &names::TARGETS[..] };
    let mut target = Vec::new();
    for _ in 0..count {
        target.push((*chance.pick(from)?).to_owned());
    }
    Some(target)
}

/// A tool that runs no command line gets none; a call without a tool may have one.
fn command(chance: &mut Chance, tool: Option<&Tool>) -> Option<Option<Analysed>> {
    if tool.is_some_and(|tool| tool.as_str() != "sh") || !chance.percent(35) {
        return Some(None);
    }
    let cwd = chance.pick(&[None, Some("/tmp"), Some("/home")])?.map(str::to_owned);
    let argv = names::argv(chance)?;
    let command = match chance.percent(85) {
        true => Command::Plain { argv, cwd },
        false => Command::NotPlain { text: argv.join(" > "), cwd },
    };
    let detectors = if chance.percent(10) { vec![Detector::Force] } else { Vec::new() };
    Some(Some(Analysed { command, detectors }))
}

fn claims(chance: &mut Chance) -> Option<Claims> {
    let mut claims = Claims::none();
    let count = if chance.percent(15) { 1 } else { 0 };
    claims.categories = names::categories(chance, count)?;
    if chance.percent(12) {
        claims.risk = Some(*chance.pick(Risk::ALL)?);
    }
    if chance.percent(15) {
        claims.undo = Some(*chance.pick(Undo::ALL)?);
    }
    claims.confidence = *chance.pick(&[0.0, 0.0, 0.499, 0.5, 0.85, 1.0])?;
    Some(claims)
}

fn observed(world: &World, chance: &mut Chance, session: &SessionName) -> Option<Observed> {
    let mut observed = Observed::nothing();
    if chance.percent(8) {
        observed.categories = names::categories(chance, 1)?;
    }
    if chance.percent(35) {
        observed.parent = parent(world, chance, session);
    }
    if chance.percent(25) {
        observed.callers = vec![(*chance.pick(&["shell.run", "files.write", "sh"])?).to_owned()];
    }
    if chance.percent(20) {
        observed.initiator = *chance.pick(&[
            Initiator::Operator,
            Initiator::Operator,
            Initiator::Operator,
            Initiator::Schedule,
        ])?;
        observed.gesture = gesture(world, chance);
    }
    if chance.percent(30) {
        observed.channel = Channel::Trusted;
    }
    if chance.percent(3) {
        observed.definition = Definition::Changed;
    }
    Some(observed)
}

/// Mostly a call that is running in the same session.
fn parent(world: &World, chance: &mut Chance, session: &SessionName) -> Option<CallId> {
    let near = chance.percent(85);
    let records = world.state.calls.iter().filter(|(_, record)| {
        !near || (record.state == CallState::Executing && record.call.session == *session)
    });
    let mut ids: Vec<CallId> = records.map(|(id, _)| *id).collect();
    ids.sort_unstable();
    chance.pick(&ids).copied()
}

fn gesture(world: &World, chance: &mut Chance) -> Option<GestureId> {
    let ids: Vec<GestureId> = world.state.gestures.keys().copied().collect();
    chance.pick(&ids).copied()
}

/// Mostly a run of the same session; now and then one that nobody knows.
fn run(world: &World, chance: &mut Chance, session: &SessionName) -> Option<RunId> {
    if chance.percent(3) {
        return Some(RunId::fresh(&Fresh::new(world.now, chance.bits())));
    }
    let near = chance.percent(95);
    let runs = world.state.runs.values().filter(|run| !near || run.session == *session);
    let ids: Vec<RunId> = runs.map(|run| run.id).collect();
    chance.pick(&ids).copied()
}

fn step(chance: &mut Chance) -> Option<Step> {
    let known = if chance.percent(90) { &names::STEPS[..2] } else { &names::STEPS[..] };
    Step::parse(chance.pick(known)?).ok()
}

/// The same call once more, as far as an agent can repeat it.
pub fn again(world: &World, chance: &mut Chance) -> Option<CallDraft> {
    let mut ids: Vec<CallId> = world.state.calls.keys().copied().collect();
    ids.sort_unstable();
    let call = Call::clone(&world.state.calls.get(chance.pick(&ids)?)?.call);
    let command = call.command.map(|command| Analysed { command, detectors: call.detectors });
    let actions: Vec<Action> = call.actions;
    Some(CallDraft {
        agent: call.agent,
        session: call.session,
        project: call.project,
        actions,
        declares: call.declares,
        tool: call.tool,
        args: call.args,
        target: call.target,
        command,
        cwd: None,
        run: call.run,
        step: call.step,
        claims: call.claims,
        observed: call.observed,
        parking: call.parking,
    })
}
