//! What an agent does in a story: call, retry, finish, ask ahead, run workflows.

use super::Seen;
use super::world::{Thing, World};
use crate::case::{AheadStep, CallStep, Does, Held, Park, Step};
use countersign_commands::analyse;
use countersign_core::model::call::{CallDraft, Claims, Definition, Malformed, Observed, Parking};
use countersign_core::model::command::Command;
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::{CallId, GestureId, RunId};
use countersign_core::model::names::{Action, Agent, NameError, SessionName};
use countersign_core::model::plan::{PlanDraft, PlanState};
use countersign_core::model::words::{Effect, RunEnding};
use countersign_engine::{Checked, EngineError};

pub(super) fn call(world: &mut World, step: &Step, call: &CallStep) -> Result<Seen, EngineError> {
    let (session, agent) = world.open(step)?;
    let before = open_requests(world, &session)?;
    let checked = match draft(world, step, call, (&session, &agent)) {
        Ok(draft) => world.engine.check(&draft)?,
        Err(error) => {
            world.engine.refuse(&session, &agent, &Malformed::Unreadable(error.to_string()))?
        }
    };
    let mut seen = Seen::decided(checked.decision().clone());
    seen.cards = Some(new_cards(world, &session, &before)?);
    let id = checked.call();
    let permit = execute(world, checked, call.effect)?;
    world.name(call.name.as_ref(), (session, agent), Thing::Call { id, permit });
    Ok(seen)
}

fn draft(
    world: &World,
    step: &Step,
    call: &CallStep,
    (session, agent): (&SessionName, &Agent),
) -> Result<CallDraft, NameError> {
    let actions = |list: &[String]| list.iter().map(|text| Action::parse(text)).collect();
    let actions: (Result<Vec<_>, _>, Result<Vec<_>, _>) =
        (actions(&call.actions), actions(&call.declares));
    Ok(CallDraft {
        agent: agent.clone(),
        session: session.clone(),
        project: step.project.clone(),
        actions: actions.0?,
        declares: actions.1?,
        tool: call.tool.clone(),
        args: call.args.clone(),
        target: call.target.clone(),
        command: call.command.as_deref().map(|text| analyse(text, call.cwd.as_deref())),
        cwd: call.cwd.clone(),
        run: call.run.as_ref().and_then(|name| run_named(world, name)),
        step: call.step.clone(),
        claims: Claims {
            categories: Vec::new(),
            risk: call.risk,
            undo: call.undo,
            confidence: call.confidence,
            reason: call.reason.clone(),
            fallback: call.fallback.clone(),
        },
        observed: Observed {
            categories: call.categories.clone(),
            parent: call.parent.as_ref().and_then(|name| call_named(world, name)),
            callers: call.callers.clone(),
            initiator: call.initiator,
            gesture: call.gesture.as_ref().and_then(|name| gesture_named(world, name)),
            channel: call.channel,
            definition: Definition::AsPinned,
        },
        parking: parking(call.park),
    })
}

/// Carries a permitted call out at once, unless it is held.
fn execute(
    world: &World,
    checked: Checked,
    effect: Held,
) -> Result<Option<countersign_engine::Permit>, EngineError> {
    match (checked, effect) {
        (Checked::Permit { permit, .. }, Held::Ends(effect)) => {
            world.engine.finish_durably(permit, effect)?;
            Ok(None)
        }
        (Checked::Permit { permit, .. }, Held::Hold) => Ok(Some(permit)),
        (Checked::Kept { .. } | Checked::Pending { .. } | Checked::Denied { .. }, _) => Ok(None),
    }
}

pub(super) fn finish(world: &mut World, name: &str, effect: Effect) -> Result<Seen, EngineError> {
    let held = world.names.get_mut(name).and_then(|named| match &mut named.thing {
        Thing::Call { permit, .. } => permit.take(),
        _ => None,
    });
    match held.map(|permit| world.engine.finish_durably(permit, effect)) {
        Some(Ok(())) => Ok(Seen::done()),
        // It ended otherwise meanwhile: by a restart, or by asking too much.
        Some(Err(EngineError::Contended(_))) | None => Ok(Seen::refused()),
        Some(Err(error)) => Err(error),
    }
}

pub(super) fn retry(
    world: &mut World,
    step: &Step,
    name: &str,
    effect: Held,
) -> Result<Seen, EngineError> {
    let Some(named) = world.names.get(name) else { return Ok(Seen::refused()) };
    let session = step.session.clone().unwrap_or_else(|| named.session.clone());
    let agent = step.agent.clone().unwrap_or_else(|| named.agent.clone());
    let Thing::Call { id: Some(id), .. } = named.thing else { return Ok(Seen::refused()) };
    let before = open_requests(world, &session)?;
    let checked = world.engine.retry(id, &session, &agent)?;
    let mut seen = Seen::decided(checked.decision().clone());
    seen.cards = Some(new_cards(world, &session, &before)?);
    let held = execute(world, checked, effect)?;
    if let (Some(held), Some(named)) = (held, world.names.get_mut(name))
        && let Thing::Call { permit, .. } = &mut named.thing
    {
        *permit = Some(held);
    }
    Ok(seen)
}

pub(super) fn ask_ahead(
    world: &mut World,
    step: &Step,
    ahead: &AheadStep,
) -> Result<Seen, EngineError> {
    let (session, agent) = world.open(step)?;
    let draft = AheadDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        ahead: ahead.to_ahead(),
        parking: parking(ahead.park),
    };
    let (decision, request) = world.engine.ask_ahead(&draft)?;
    world.name(ahead.name.as_ref(), (session, agent), Thing::Ahead(request));
    Ok(Seen::decided(decision))
}

pub(super) fn start(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Start { name, workflow, gesture, attendance, park } = &step.does else {
        return Ok(Seen::refused());
    };
    let (session, agent) = world.open(step)?;
    let draft = StartDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        workflow: workflow.clone(),
        attendance: *attendance,
        gesture: gesture.as_ref().and_then(|name| gesture_named(world, name)),
        parking: parking(*park),
    };
    let (run, decision) = world.engine.start(&draft)?;
    world.name(name.as_ref(), (session, agent), Thing::Run(run));
    Ok(Seen::decided(decision))
}

pub(super) fn plan(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Plan { name, actions, score, commands } = &step.does else {
        return Ok(Seen::refused());
    };
    let (session, agent) = world.open(step)?;
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
    world.engine.plan(&session, &plan)?;
    world.name(name.as_ref(), (session, agent), Thing::Plan);
    Ok(Seen::done())
}

pub(super) fn end(world: &World, name: &str, how: RunEnding) -> Result<Seen, EngineError> {
    match run_named(world, name) {
        Some(run) => world
            .engine
            .end_run(run, how)
            .map(|done| if done { Seen::done() } else { Seen::refused() }),
        None => Ok(Seen::refused()),
    }
}

pub(super) fn reattach(world: &World, step: &Step, name: &str) -> Result<Seen, EngineError> {
    let (Some(named), Some(run)) = (world.names.get(name), run_named(world, name)) else {
        return Ok(Seen::refused());
    };
    let session = step.session.as_ref().unwrap_or(&named.session);
    let agent = step.agent.as_ref().unwrap_or(&named.agent);
    world
        .engine
        .reattach(run, session, agent)
        .map(|done| if done { Seen::done() } else { Seen::refused() })
}

fn open_requests(
    world: &World,
    session: &SessionName,
) -> Result<Vec<countersign_core::model::ids::RequestId>, EngineError> {
    let (state, now) = (world.engine.state()?, world.engine.now());
    Ok(state.open_requests(session, now).map(|request| request.id).collect())
}

/// The items of the requests that this step opened, one list per request.
fn new_cards(
    world: &World,
    session: &SessionName,
    before: &[countersign_core::model::ids::RequestId],
) -> Result<Vec<Vec<String>>, EngineError> {
    let (state, now) = (world.engine.state()?, world.engine.now());
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

fn call_named(world: &World, name: &str) -> Option<CallId> {
    match world.names.get(name)?.thing {
        Thing::Call { id, .. } => id,
        _ => None,
    }
}

fn run_named(world: &World, name: &str) -> Option<RunId> {
    match world.names.get(name)?.thing {
        Thing::Run(run) => Some(run),
        _ => None,
    }
}

fn gesture_named(world: &World, name: &str) -> Option<GestureId> {
    match world.names.get(name)?.thing {
        Thing::Gesture(gesture) => Some(gesture),
        _ => None,
    }
}

pub(super) fn parking(park: Park) -> Parking {
    match park {
        Park::Yes => Parking::Allowed,
        Park::No => Parking::Refused,
    }
}
