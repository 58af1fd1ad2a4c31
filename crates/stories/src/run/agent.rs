//! Steps of an agent: calls, retries, ask-aheads, plans and runs.

use super::StepResult;
use super::env::{NamedThing, StoryEnv};
use crate::case::{AheadStep, CallEnding, CallStep, CaseStep, StepKind};
use countersign_commands::analyse;
use countersign_core::model::call::{CallDraft, Claims, Definition, Malformed, ObservedFacts};
use countersign_core::model::command::Command;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::{CallId, GestureId, RunId};
use countersign_core::model::names::{Action, Agent, NameError, SessionKey, SessionName};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::words::{Effect, RunEnding};
use countersign_engine::{CallUpdate, CheckResult, EngineError, SessionOwner};
use std::collections::BTreeMap;

pub(super) fn make_call(
    env: &mut StoryEnv,
    step: &CaseStep,
    call: &CallStep,
) -> Result<StepResult, EngineError> {
    let actor = env.open_session(step)?;
    let before = list_open_requests(env, &actor.session)?;
    let checked = match build_draft(env, step, call, &actor) {
        Ok(draft) => env.engine.check(&draft)?,
        Err(error) => {
            env.engine.deny_unreadable(&actor, &Malformed::Unreadable(error.to_string()))?
        }
    };
    let mut result = StepResult::from_decision(checked.decision().clone());
    result.cards = Some(list_new_cards(env, &actor.session, &before)?);
    let id = checked.call();
    let permit = finish_unless_held(env, checked, call.ending)?;
    env.store_name(call.name.as_ref(), actor, NamedThing::Call { id, permit });
    Ok(result)
}

/// Puts the step's session below that of the agent that started its agent.
pub(super) fn join_session(
    env: &StoryEnv,
    step: &CaseStep,
    (above, agent): (&SessionName, Option<&Agent>),
) -> Result<StepResult, EngineError> {
    let actor = env.open_session(step)?;
    let above = SessionKey::new(agent.unwrap_or(&env.default_agent), above);
    Ok(match env.engine.join_session(&actor, None, &above)? {
        Some(Ok(())) => StepResult::success(),
        Some(Err(_)) | None => StepResult::refusal(),
    })
}

fn build_draft(
    env: &StoryEnv,
    step: &CaseStep,
    call: &CallStep,
    actor: &SessionOwner,
) -> Result<CallDraft, NameError> {
    let parse_actions = |texts: &[String]| -> Result<Vec<Action>, NameError> {
        texts.iter().map(|text| Action::parse(text)).collect()
    };
    Ok(CallDraft {
        agent: actor.agent.clone(),
        session: actor.session.clone(),
        project: step.project.clone(),
        actions: parse_actions(&call.actions)?,
        declares: parse_actions(&call.declares)?,
        tool: call.tool.clone(),
        args: call.args.clone(),
        target: call.target.clone(),
        patched_files: BTreeMap::new(),
        command: call.command.as_deref().map(|text| analyse(text, call.cwd.as_deref())),
        cwd: call.cwd.clone(),
        scratch: Vec::new(),
        run: call.run.as_ref().and_then(|name| find_run(env, name)),
        step: call.step.clone(),
        claims: Claims {
            categories: Vec::new(),
            risk: call.risk,
            undo: call.undo,
            confidence: call.confidence,
            reason: call.reason.clone(),
            fallback: call.fallback.clone(),
        },
        observed: ObservedFacts {
            categories: call.categories.clone(),
            parent: call.parent.as_ref().and_then(|name| find_call(env, name)),
            callers: call.callers.clone(),
            initiator: call.initiator,
            gesture: call.gesture.as_ref().and_then(|name| find_gesture(env, name)),
            channel: call.channel,
            definition: Definition::AsPinned,
            definition_hash: None,
        },
        parking: call.parking,
        narrowing: call.narrowing,
    })
}

/// Finishes a permitted call at once, or returns the permit of a call that keeps running.
fn finish_unless_held(
    env: &StoryEnv,
    checked: CheckResult,
    ending: CallEnding,
) -> Result<Option<countersign_engine::Permit>, EngineError> {
    match (checked, ending) {
        (CheckResult::Allowed { permit, .. }, CallEnding::Finished(effect)) => {
            env.engine.complete(&permit.complete(effect))?;
            Ok(None)
        }
        (CheckResult::Allowed { permit, .. }, CallEnding::StillRunning) => Ok(Some(permit)),
        (
            CheckResult::AlreadyDone { .. }
            | CheckResult::Pending { .. }
            | CheckResult::Denied { .. },
            _,
        ) => Ok(None),
    }
}

pub(super) fn finish_call(
    env: &mut StoryEnv,
    name: &str,
    effect: Effect,
) -> Result<StepResult, EngineError> {
    let permit = env.names.get_mut(name).and_then(|named| match &mut named.thing {
        NamedThing::Call { permit, .. } => permit.take(),
        _ => None,
    });
    let Some(permit) = permit else { return Ok(StepResult::refusal()) };
    match env.engine.complete(&permit.complete(effect))? {
        CallUpdate::Recorded => Ok(StepResult::success()),
        // The call ended in another way: a restart, or too many asks.
        CallUpdate::TooLate(_) | CallUpdate::Unknown => Ok(StepResult::refusal()),
    }
}

pub(super) fn retry_call(
    env: &mut StoryEnv,
    step: &CaseStep,
    name: &str,
    ending: CallEnding,
) -> Result<StepResult, EngineError> {
    let Some(named) = env.names.get(name) else { return Ok(StepResult::refusal()) };
    let owner = named.owner_in(step);
    let NamedThing::Call { id: Some(id), .. } = named.thing else {
        return Ok(StepResult::refusal());
    };
    let before = list_open_requests(env, &owner.session)?;
    let checked = env.engine.retry(id, &owner)?;
    let mut result = StepResult::from_decision(checked.decision().clone());
    result.cards = Some(list_new_cards(env, &owner.session, &before)?);
    let running = finish_unless_held(env, checked, ending)?;
    if let (Some(running), Some(named)) = (running, env.names.get_mut(name))
        && let NamedThing::Call { permit, .. } = &mut named.thing
    {
        *permit = Some(running);
    }
    Ok(result)
}

pub(super) fn ask_ahead(
    env: &mut StoryEnv,
    step: &CaseStep,
    ahead: &AheadStep,
) -> Result<StepResult, EngineError> {
    let SessionOwner { session, agent } = env.open_session(step)?;
    let draft = AheadDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        ahead: ahead.to_ahead(),
        parking: ahead.parking,
    };
    let (decision, request) = env.engine.ask_ahead(&draft)?;
    env.store_name(
        ahead.name.as_ref(),
        SessionOwner { session, agent },
        NamedThing::Ahead(request),
    );
    Ok(StepResult::from_decision(decision))
}

pub(super) fn start_run(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Start { name, workflow, gesture, attendance, parking } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let SessionOwner { session, agent } = env.open_session(step)?;
    let draft = StartDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        workflow: workflow.clone(),
        attendance: *attendance,
        gesture: gesture.as_ref().and_then(|name| find_gesture(env, name)),
        parking: *parking,
        title: None,
    };
    let (run, decision) = env.engine.start_run(&draft)?;
    env.store_name(name.as_ref(), SessionOwner { session, agent }, NamedThing::Run(run));
    Ok(StepResult::from_decision(decision))
}

pub(super) fn propose_plan(env: &mut StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let StepKind::Plan { name, actions, score, commands } = &step.kind else {
        return Ok(StepResult::refusal());
    };
    let actor = env.open_session(step)?;
    let argv = |text: &String| match analyse(text, None).command {
        Command::Plain { argv, .. } => Some(argv),
        Command::NotPlain { .. } => None,
    };
    let plan = PlanDraft {
        actions: actions.clone(),
        commands: commands.iter().filter_map(argv).collect(),
        score: *score,
        turn: 0,
        state: PlanState::Proposed,
    };
    env.engine.propose_plan(&env.session_owner(step), &plan)?;
    env.store_name(name.as_ref(), actor, NamedThing::Plan);
    Ok(StepResult::success())
}

pub(super) fn end_run(
    env: &StoryEnv,
    name: &str,
    how: RunEnding,
) -> Result<StepResult, EngineError> {
    let (Some(named), Some(run)) = (env.names.get(name), find_run(env, name)) else {
        return Ok(StepResult::refusal());
    };
    let has_ended = env.engine.end_run(run, &named.owner, how)?;
    Ok(if has_ended { StepResult::success() } else { StepResult::refusal() })
}

pub(super) fn reattach_run(
    env: &StoryEnv,
    step: &CaseStep,
    name: &str,
) -> Result<StepResult, EngineError> {
    let (Some(named), Some(run)) = (env.names.get(name), find_run(env, name)) else {
        return Ok(StepResult::refusal());
    };
    let is_reattached = env.engine.reattach_run(run, &named.owner_in(step))?;
    Ok(if is_reattached { StepResult::success() } else { StepResult::refusal() })
}

fn list_open_requests(
    env: &StoryEnv,
    session: &SessionKey,
) -> Result<Vec<countersign_core::model::ids::RequestId>, EngineError> {
    let (state, now) = (env.engine.read_whole_state()?, env.engine.display_time());
    Ok(state.open_requests(session, now).map(|request| request.id).collect())
}

/// The actions of the requests that this step opened, one list per request.
fn list_new_cards(
    env: &StoryEnv,
    session: &SessionKey,
    before: &[countersign_core::model::ids::RequestId],
) -> Result<Vec<Vec<String>>, EngineError> {
    let (state, now) = (env.engine.read_whole_state()?, env.engine.display_time());
    let opened = state.open_requests(session, now).filter(|request| !before.contains(&request.id));
    let items = opened.map(|request| {
        request
            .items
            .iter()
            .filter_map(|item| item.action.as_ref())
            .map(ToString::to_string)
            .collect()
    });
    Ok(items.collect())
}

fn find_call(env: &StoryEnv, name: &str) -> Option<CallId> {
    match env.names.get(name)?.thing {
        NamedThing::Call { id, .. } => id,
        _ => None,
    }
}

fn find_run(env: &StoryEnv, name: &str) -> Option<RunId> {
    match env.names.get(name)?.thing {
        NamedThing::Run(run) => Some(run),
        _ => None,
    }
}

fn find_gesture(env: &StoryEnv, name: &str) -> Option<GestureId> {
    match env.names.get(name)?.thing {
        NamedThing::Gesture(gesture) => Some(gesture),
        _ => None,
    }
}
