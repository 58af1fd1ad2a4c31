//! Random calls: mostly plain, with a special feature now and then.

use super::{Scenario, names};
use crate::rng::Rng;
use countersign_core::model::call::{
    Call, CallDraft, Claims, Definition, DefinitionChange, ObservedFacts, Parking,
};
use countersign_core::model::command::{Command, CommandAnalysis};
use countersign_core::model::ids::{CallId, GestureId, IdGenerator, RunId};
use countersign_core::model::names::{Action, SessionKey, StepName, Tool};
use countersign_core::model::narrowed::NarrowingSupport;
use countersign_core::model::words::{Channel, Detector, Initiator, Risk, Undo};
use countersign_core::state::CallState;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn draft_random_call(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let (session, mut agent, project) = names::pick_session(rng)?;
    if rng.chance(2) {
        agent = names::pick_agent(rng)?;
    }
    let count = *rng.pick(&[1, 1, 1, 1, 1, 1, 2, 3])?;
    let declared = *rng.pick(&[0, 0, 0, 1, 2])?;
    let tool = if rng.chance(25) { Some(names::pick_tool(rng)?) } else { None };
    let run = if rng.chance(40) { pick_run(scenario, rng, &session) } else { None };
    let step = match run {
        Some(_) if rng.chance(30) => Some(pick_step(rng)?),
        Some(_) => None,
        None if rng.chance(1) => Some(pick_step(rng)?),
        None => None,
    };
    Some(CallDraft {
        project: if rng.chance(50) { project } else { None },
        actions: names::pick_actions(rng, count)?,
        declares: names::pick_actions(rng, declared)?,
        args: generate_args(rng)?,
        target: generate_target(rng)?,
        patched_files: BTreeMap::new(),
        command: generate_command(rng, tool.as_ref())?,
        cwd: None,
        scratch: Vec::new(),
        run,
        step,
        claims: generate_claims(rng)?,
        observed: generate_observed(scenario, rng, &session)?,
        parking: if rng.chance(40) { Parking::Allowed } else { Parking::Refused },
        narrowing: NarrowingSupport::None,
        agent,
        session,
        tool,
    })
}

fn generate_args(rng: &mut Rng) -> Option<Value> {
    Some(match rng.below(20) {
        0..12 => json!({}),
        12..15 => json!({"event": *rng.pick(&["e1", "e2"])?}),
        15..18 => json!({"to": *rng.pick(&names::TARGETS)?, "text": "hi"}),
        18 => json!({"who": [*rng.pick(&names::TARGETS)?]}),
        _ => json!({"deep": {"path": ["/var/ours"]}}),
    })
}

fn generate_target(rng: &mut Rng) -> Option<Vec<String>> {
    let count = *rng.pick(&[0, 1, 1, 1, 1, 2])?;
    let common = ["ann@here", "bob@here"];
    let from = if rng.chance(90) { &common[..] } else { &names::TARGETS[..] };
    let mut target = Vec::new();
    for _ in 0..count {
        target.push((*rng.pick(from)?).to_owned());
    }
    Some(target)
}

/// Only the tool `sh`, or a call without a tool, has a command.
fn generate_command(rng: &mut Rng, tool: Option<&Tool>) -> Option<Option<CommandAnalysis>> {
    if tool.is_some_and(|tool| tool.as_str() != "sh") || !rng.chance(35) {
        return Some(None);
    }
    let cwd = rng.pick(&[None, Some("/tmp"), Some("/home")])?.map(str::to_owned);
    let argv = names::pick_argv(rng)?;
    let command = match rng.chance(85) {
        true => Command::Plain { argv, cwd },
        false => Command::NotPlain { text: argv.join(" > "), cwd },
    };
    let detectors = if rng.chance(10) { vec![Detector::Force] } else { Vec::new() };
    Some(Some(CommandAnalysis { command, detectors }))
}

fn generate_claims(rng: &mut Rng) -> Option<Claims> {
    let mut claims = Claims::none();
    let count = if rng.chance(15) { 1 } else { 0 };
    claims.categories = names::pick_categories(rng, count)?;
    if rng.chance(12) {
        claims.risk = Some(*rng.pick(Risk::ALL)?);
    }
    if rng.chance(15) {
        claims.undo = Some(*rng.pick(Undo::ALL)?);
    }
    claims.confidence = *rng.pick(&[0.0, 0.0, 0.499, 0.5, 0.85, 1.0])?;
    Some(claims)
}

fn generate_observed(
    scenario: &Scenario,
    rng: &mut Rng,
    session: &SessionKey,
) -> Option<ObservedFacts> {
    let mut observed = ObservedFacts::nothing();
    if rng.chance(8) {
        observed.categories = names::pick_categories(rng, 1)?;
    }
    if rng.chance(35) {
        observed.parent = pick_parent(scenario, rng, session);
    }
    if rng.chance(25) {
        observed.callers = vec![(*rng.pick(&["shell.run", "files.write", "sh"])?).to_owned()];
    }
    if rng.chance(20) {
        observed.initiator = *rng.pick(&[
            Initiator::Operator,
            Initiator::Operator,
            Initiator::Operator,
            Initiator::Schedule,
        ])?;
        observed.gesture = pick_gesture(scenario, rng);
    }
    if rng.chance(30) {
        observed.channel = Channel::Trusted;
    }
    if rng.chance(5) {
        observed.definition = Definition::Changed(DefinitionChange::default());
        observed.definition_hash = rng.chance(70).then(|| "d1".to_owned());
    }
    Some(observed)
}

/// Usually a call that runs in the same session.
fn pick_parent(scenario: &Scenario, rng: &mut Rng, session: &SessionKey) -> Option<CallId> {
    let same_session = rng.chance(85);
    let records = scenario.state.calls.iter().filter(|(_, record)| {
        !same_session || (record.state == CallState::Executing && record.call.session == *session)
    });
    let mut ids: Vec<CallId> = records.map(|(id, _)| *id).collect();
    ids.sort_unstable();
    rng.pick(&ids).copied()
}

fn pick_gesture(scenario: &Scenario, rng: &mut Rng) -> Option<GestureId> {
    let ids: Vec<GestureId> = scenario.state.gestures.keys().copied().collect();
    rng.pick(&ids).copied()
}

/// Usually a run of the same session; sometimes an unknown one.
fn pick_run(scenario: &Scenario, rng: &mut Rng, session: &SessionKey) -> Option<RunId> {
    if rng.chance(3) {
        return Some(RunId::generate(&IdGenerator::new(scenario.now, rng.next_u64())));
    }
    let same_session = rng.chance(95);
    let runs = scenario.state.runs.values().filter(|run| !same_session || run.session == *session);
    let ids: Vec<RunId> = runs.map(|run| run.id).collect();
    rng.pick(&ids).copied()
}

fn pick_step(rng: &mut Rng) -> Option<StepName> {
    let known = if rng.chance(90) { &names::STEPS[..2] } else { &names::STEPS[..] };
    StepName::parse(rng.pick(known)?).ok()
}

/// Repeats an earlier call, as far as an agent can repeat it.
pub fn draft_repeated_call(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let mut ids: Vec<CallId> = scenario.state.calls.keys().copied().collect();
    ids.sort_unstable();
    let call = Call::clone(&scenario.state.calls.get(rng.pick(&ids)?)?.call);
    let command =
        call.command.map(|command| CommandAnalysis { command, detectors: call.detectors });
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
        patched_files: BTreeMap::new(),
        command,
        cwd: None,
        scratch: Vec::new(),
        run: call.run,
        step: call.step,
        claims: call.claims,
        observed: call.observed,
        parking: call.parking,
        narrowing: call.narrowing,
    })
}
