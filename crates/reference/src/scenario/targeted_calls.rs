//! Calls that target a grant, a gesture, a running call, a run or a rule of the scenario.
//!
//! Random calls seldom match a rare thing. A targeted call is plain except for its target, and may
//! still miss: the target can be over, belong to another agent or demand more.

use super::{Scenario, names};
use crate::rng::Rng;
use countersign_core::model::call::{CallDraft, Parking};
use countersign_core::model::command::{Command, CommandAnalysis};
use countersign_core::model::grant::{Coverage, Grant, Source};
use countersign_core::model::graph::{Rule, StepConsent, WhenIdle};
use countersign_core::model::names::{Action, Agent, SessionKey, Tool};
use countersign_core::model::words::{Channel, Initiator, Risk};
use countersign_core::state::{CallRecord, CallState};

/// None if the scenario has no such target.
pub fn draft_targeted_call(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let has_classes = scenario.ruled.findings.iter().any(|found| found.class.is_some());
    match rng.below(14) {
        // A line that classes may cover.
        0..7 if has_classes && rng.chance(50) => draft_line(scenario, rng),
        0..4 => draft_for_grant(scenario, rng),
        4..8 => draft_inside_call(scenario, rng),
        8 if rng.chance(50) => draft_in_new_session(scenario, rng),
        8..10 => draft_for_gesture(scenario, rng),
        10..13 => draft_for_rule(scenario, rng),
        _ => draft_inside_run(scenario, rng),
    }
}

/// A plain call by the agent that owns the session.
fn draft_plain_call(
    scenario: &Scenario,
    rng: &mut Rng,
    session: &SessionKey,
    action: Action,
) -> Option<CallDraft> {
    let open = scenario.state.sessions.get(session);
    let agent = open.map(|open| open.agent.clone()).or_else(|| names::pick_agent(rng))?;
    let mut draft = CallDraft::plain(agent, session.clone(), action);
    draft.target = vec![if rng.chance(80) { "ann@here" } else { "bob@here" }.to_owned()];
    if rng.chance(50) {
        draft.parking = Parking::Allowed;
    }
    if rng.chance(30) {
        draft.observed.channel = Channel::Trusted;
    }
    if rng.chance(20) {
        draft.claims.confidence = 1.0;
    }
    Some(draft)
}

fn draft_for_grant(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let mut grants: Vec<&Grant> = scenario.state.grants.iter().collect();
    match rng.below(10) {
        0..4 => grants.retain(|grant| grant.source == Source::Plan),
        4..6 => grants.retain(|grant| grant.source == Source::Category),
        6..8 => grants.retain(|grant| grant.within.is_some() || !grant.places.is_empty()),
        8 => grants.retain(|g| matches!(g.coverage, Coverage::Head { .. } | Coverage::Program(_))),
        _ => {}
    }
    let grant = *rng.pick(&grants)?;
    let action = match &grant.coverage {
        Coverage::Digest { action, .. } | Coverage::Step { action, .. } => action.clone(),
        Coverage::Action(action) => action.clone(),
        Coverage::Category(category) => {
            pick_action_with_rule(scenario, rng, |rule| rule.categories.contains(category))?
        }
        Coverage::Run { carries, beyond, .. } => {
            let from = if rng.chance(70) { carries } else { beyond };
            rng.pick(from)?.clone()
        }
        Coverage::Head { action, .. } => action.clone(),
        Coverage::Command { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Program(_) => names::pick_action(rng)?,
    };
    let mut draft = draft_plain_call(scenario, rng, &grant.made_in, action)?;
    if rng.chance(85) {
        draft.run = grant.run;
    }
    if rng.chance(15) {
        draft.claims.categories.push(names::pick_category(rng)?);
    }
    if let Coverage::Command { argv, cwd, .. } = &grant.coverage {
        let elsewhere = rng.chance(30).then(|| "/tmp".to_owned());
        let cwd = elsewhere.or_else(|| cwd.clone());
        let command = Command::Plain { argv: fill_open_arguments(argv), cwd };
        draft.command = Some(CommandAnalysis { command, detectors: Vec::new() });
    }
    if let Coverage::Head { .. } | Coverage::Program(_) = &grant.coverage {
        let command = Command::Plain { argv: names::pick_argv(rng)?, cwd: None };
        draft.command = Some(CommandAnalysis { command, detectors: Vec::new() });
    }
    Some(draft)
}

/// A granted command with its open arguments filled in.
fn fill_open_arguments(argv: &[String]) -> Vec<String> {
    let fill = |word: &String| if word.starts_with('<') { "here".to_owned() } else { word.clone() };
    argv.iter().map(fill).collect()
}

/// A command line, of a tool or without one, that the agent says little about.
fn draft_line(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let of_lines =
        |grant: &&Grant| matches!(grant.coverage, Coverage::Head { .. } | Coverage::Program(_));
    let grants: Vec<&Grant> = scenario.state.grants.iter().filter(of_lines).collect();
    let session = match rng.pick(&grants) {
        Some(grant) if rng.chance(85) => grant.made_in.clone(),
        Some(_) | None => names::pick_session(rng)?.0,
    };
    let action = names::pick_action(rng)?;
    let mut draft = draft_plain_call(scenario, rng, &session, action)?;
    draft.tool = if rng.chance(50) { Tool::parse("sh").ok() } else { None };
    if let (Some(_), Some(graph)) = (&draft.tool, &scenario.graph)
        && let Some(first) = graph.tool("sh").and_then(|mapping| mapping.actions.first())
        && rng.chance(70)
    {
        draft.actions = vec![first.clone()];
    }
    let command = Command::Plain { argv: names::pick_argv(rng)?, cwd: None };
    draft.command = Some(CommandAnalysis { command, detectors: Vec::new() });
    Some(draft)
}

fn draft_inside_call(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let records = scenario.state.calls.values();
    let mut running: Vec<&CallRecord> =
        records.filter(|record| record.state == CallState::Executing).collect();
    running.sort_unstable_by_key(|record| record.call.id);
    let outer = *rng.pick(&running)?;
    let action = match rng.pick(&outer.call.declares) {
        Some(declared) if rng.chance(80) => declared.clone(),
        Some(_) | None => names::pick_action(rng)?,
    };
    let inside = match rng.chance(95) {
        true => outer.call.session.clone(),
        false => names::pick_session(rng)?.0,
    };
    let mut draft = draft_plain_call(scenario, rng, &inside, action)?;
    draft.observed.parent = Some(outer.call.id);
    Some(draft)
}

fn draft_for_gesture(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let gestures: Vec<_> = scenario.state.gestures.values().collect();
    let gesture = *rng.pick(&gestures)?;
    let action = rng.pick(&gesture.declares)?.clone();
    let mut draft = draft_plain_call(scenario, rng, &gesture.session, action)?;
    draft.observed.initiator = Initiator::Operator;
    draft.observed.gesture = Some(gesture.id);
    Some(draft)
}

/// In a session that is not open, by an agent that carries restraints over into it.
fn draft_in_new_session(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let agents: Vec<&Agent> = scenario.state.carried_over.keys().collect();
    let agent = (*rng.pick(&agents)?).clone();
    let session = names::session_key(&agent, "s5")?;
    let mut draft = CallDraft::plain(agent, session, names::pick_action(rng)?);
    draft.target = vec!["ann@here".to_owned()];
    draft.parking = Parking::Allowed;
    Some(draft)
}

/// Targets a read-only action, or one that may pass while the operator is idle.
fn draft_for_rule(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let read_only = rng.chance(25);
    let action = pick_action_with_rule(scenario, rng, |rule| match read_only {
        true => rule.risk == Risk::ReadOnly,
        false => rule.risk == Risk::Low && rule.when_idle == WhenIdle::Pass,
    })?;
    let session = names::pick_session(rng)?.0;
    draft_plain_call(scenario, rng, &session, action)
}

fn pick_action_with_rule(
    scenario: &Scenario,
    rng: &mut Rng,
    fits: impl Fn(&Rule) -> bool,
) -> Option<Action> {
    let rules = scenario.graph.as_ref()?.rules.iter().filter(|(_, rule)| fits(rule));
    let mut actions: Vec<&Action> = rules.map(|(action, _)| action).collect();
    actions.sort_unstable();
    rng.pick(&actions).map(|action| (*action).clone())
}

/// Targets an individual step of a run's workflow, by name or by action.
fn draft_inside_run(scenario: &Scenario, rng: &mut Rng) -> Option<CallDraft> {
    let runs: Vec<_> = scenario.state.runs.values().collect();
    let run = *rng.pick(&runs)?;
    let workflow = scenario.graph.as_ref()?.workflows.get(&run.workflow)?;
    let steps = workflow.steps.iter();
    let steps: Vec<_> = steps.filter(|step| step.consent == StepConsent::Individual).collect();
    let step = *rng.pick(&steps)?;
    let action = match rng.pick(&step.actions) {
        Some(listed) if rng.chance(60) => listed.clone(),
        Some(_) | None => names::pick_action(rng)?,
    };
    let mut draft = draft_plain_call(scenario, rng, &run.session, action)?;
    draft.run = Some(run.id);
    if rng.chance(60) {
        draft.step = Some(step.name.clone());
    }
    Some(draft)
}
