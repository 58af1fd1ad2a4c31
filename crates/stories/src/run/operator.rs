//! What an operator does in a story: answer, grant, revoke, click, load a graph.

use super::Seen;
use super::world::{Thing, World};
use crate::case::{Covers, Does, Revokes, Step};
use countersign_commands::analyse;
use countersign_core::model::change::Change;
use countersign_core::model::delivery::{Delivery, Evidence, Shown};
use countersign_core::model::grant::Coverage;
use countersign_core::model::imported::Offered;
use countersign_core::model::imported::{Imported, Origin};
use countersign_core::model::names::{Action, SurfaceName};
use countersign_core::model::request::Answer;
use countersign_core::model::time::Time;
use countersign_core::steps::conversation::{Turn, standing_command};
use countersign_core::steps::import::fits;
use countersign_core::steps::revoke::Revoke;
use countersign_core::steps::settle::Reply;
use countersign_engine::{Asks, EngineError};
use countersign_graph::{Node, load_inline_graph};

pub(super) fn answer(world: &World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Answer { name, say, note, confirmation } = &step.does else {
        return Ok(Seen::refused());
    };
    let asks = world.names.get(name).and_then(|named| match &named.thing {
        Thing::Call { id, .. } => id.map(Asks::Call),
        Thing::Ahead(request) => request.map(Asks::Request),
        Thing::Run(run) => Some(Asks::Start(*run)),
        Thing::Proposal(id) => world.proposal_request(*id),
        _ => None,
    });
    let Some(asks) = asks else { return Ok(Seen::refused()) };
    let answer = Answer { say: say.clone(), note: note.clone(), confirmation: *confirmation };
    let settlement = world.engine.answer(asks, &answer)?;
    Ok(match settlement.reply {
        Reply::Accepted { given } => {
            let mut seen = Seen::word("accepted");
            seen.scope = given.iter().find_map(|given| given.granted);
            seen.why = given.iter().find_map(|given| given.why).map(str::to_owned);
            seen
        }
        Reply::AlreadyAnswered => Seen::word("already_answered"),
        Reply::Late => Seen::word("late"),
        Reply::Refused(refusal) => {
            let mut seen = Seen::refused();
            seen.why = Some(refusal.to_string());
            seen
        }
    })
}

/// The surface of a story.
fn surface() -> Result<SurfaceName, EngineError> {
    SurfaceName::parse("story").map_err(|error| EngineError::Setup(error.to_string()))
}

pub(super) fn acknowledge(world: &World) -> Result<Seen, EngineError> {
    let open = world.engine.notices()?;
    for notice in &open {
        world.engine.acknowledge(notice.id, &surface()?)?;
    }
    Ok(if open.is_empty() { Seen::refused() } else { Seen::done() })
}

/// Of several cards of one call, all are delivered.
pub(super) fn deliver(world: &World, name: &str, how: Evidence) -> Result<Seen, EngineError> {
    let requests = world.names.get(name).map_or_else(Vec::new, |named| world.requests_of(named));
    for request in &requests {
        let shown = Shown::Request(*request);
        world.engine.delivered(&Delivery { shown, surface: surface()?, evidence: how })?;
    }
    Ok(if requests.is_empty() { Seen::refused() } else { Seen::done() })
}

pub(super) fn say(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Say { name, text, by } = &step.does else { return Ok(Seen::refused()) };
    let (session, agent) = world.open(step)?;
    let turn = Turn { session: session.clone(), speaker: *by, text: text.clone() };
    let said = world.engine.say(&turn)?;
    let asked = said.changes.iter().find_map(|change| match change {
        Change::RequestOpened { request } => Some(request.id),
        _ => None,
    });
    world.name(name.as_ref(), (session.clone(), agent.clone()), Thing::Ahead(asked));
    if let Some(gesture) = said.gesture {
        // A slash command's gesture goes by the command's name.
        let slash = text.split_whitespace().next().unwrap_or_default();
        for name in [slash, slash.trim_start_matches('/')] {
            let who = (session.clone(), agent.clone());
            world.name(Some(&name.to_owned()), who, Thing::Gesture(gesture));
        }
    }
    let mut seen = Seen::word(said.heard.word());
    seen.why = (!said.lines.is_empty()).then(|| said.lines.join(" / "));
    Ok(seen)
}

pub(super) fn grant(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Grant { name, coverage, scope, ends, confirmation } = &step.does else {
        return Ok(Seen::refused());
    };
    let (session, agent) = world.open(step)?;
    let Some(coverage) = covers(coverage) else {
        let mut seen = Seen::refused();
        seen.why = Some("only a plain literal command can be granted".into());
        world.name(name.as_ref(), (session, agent), Thing::Grant(None));
        return Ok(seen);
    };
    let ends_at = ends.map(|span| world.engine.now() + span);
    let terms = (*scope, ends_at, *confirmation);
    let (grant, why) = world.engine.grant((&session, &agent), &coverage, terms)?;
    let mut seen = Seen::done();
    seen.scope = Some(grant.scope);
    seen.why = why.map(str::to_owned);
    world.name(name.as_ref(), (session, agent), Thing::Grant(Some(grant.id)));
    Ok(seen)
}

/// Brought in anew with the same coverage, it is the same grant.
pub(super) fn import(world: &mut World, step: &Step) -> Result<Seen, EngineError> {
    let Does::Import { name, coverage, scope, ends } = &step.does else {
        return Ok(Seen::refused());
    };
    let (session, agent) = world.open(step)?;
    let Some(coverage) = covers(coverage) else { return Ok(Seen::refused()) };
    let graph = world.engine.graph()?;
    let risk = match fits(graph.as_deref(), &coverage) {
        Ok(risk) => risk,
        Err(unfit) => {
            let mut seen = Seen::refused();
            seen.why = Some(unfit.to_string());
            return Ok(seen);
        }
    };
    let imported = Imported {
        origin: Origin::ConsentSystem,
        key: coverage.to_string(),
        words: String::new(),
        coverage,
        scope: *scope,
        given_at: Time::from_micros(0),
        ends_at: ends.map(|span| world.engine.now() + span),
    };
    let project = world.engine.state()?.sessions.get(&session).and_then(|s| s.project.clone());
    let offers = [(imported, risk)];
    let offered = world.engine.import((&session, &agent), project.as_ref(), &offers)?;
    let (seen, request) = match offered.first() {
        Some(Offered::Opened(id)) => (Seen::done(), Some(*id)),
        Some(Offered::Waiting(id)) => (Seen::refused(), Some(*id)),
        Some(Offered::Settled(_) | Offered::Foreign) | None => (Seen::refused(), None),
    };
    if let Some(request) = request {
        world.name(name.as_ref(), (session, agent), Thing::Ahead(Some(request)));
    }
    Ok(seen)
}

fn covers(coverage: &Covers) -> Option<Coverage> {
    Some(match coverage {
        Covers::Command(text) => standing_command(text, |text| analyse(text, None))?,
        Covers::Action(action) => Coverage::Action(action.clone()),
        Covers::Category(category) => Coverage::Category(category.clone()),
        Covers::Everything => Coverage::Everything,
    })
}

pub(super) fn revoke(world: &World, step: &Step, what: &Revokes) -> Result<Seen, EngineError> {
    let (session, _) = world.open(step)?;
    let revoke = match what {
        Revokes::All => Revoke::All,
        Revokes::Name(name) => {
            let named = world.names.get(name);
            Revoke::Grants(named.map_or_else(Vec::new, |named| world.grants_of(named)))
        }
        Revokes::Command(text) => match standing_command(text, |text| analyse(text, None)) {
            Some(Coverage::Command { argv, cwd, .. }) => Revoke::Command { argv, cwd },
            Some(_) | None => return Ok(Seen::refused()),
        },
        Revokes::Action(action) => Revoke::Action(action.clone()),
        Revokes::Workflow(workflow) => Revoke::Workflow(workflow.clone()),
    };
    let reached = world.engine.revoke(&session, &revoke)?;
    let something = !reached.is_empty() || revoke == Revoke::All;
    Ok(if something { Seen::done() } else { Seen::refused() })
}

pub(super) fn keep(world: &World, name: &str) -> Result<Seen, EngineError> {
    let grants = world.names.get(name).map_or_else(Vec::new, |named| world.grants_of(named));
    let kept = world.engine.keep(&grants)?;
    Ok(if kept.is_empty() { Seen::refused() } else { Seen::done() })
}

pub(super) fn gesture(
    world: &mut World,
    step: &Step,
    name: &String,
    (declares, shows): (&[Action], Option<&str>),
) -> Result<Seen, EngineError> {
    let (session, agent) = world.open(step)?;
    let shown = shows.and_then(|name| world.names.get(name)).and_then(|named| match named.thing {
        Thing::Call { id, .. } => id,
        _ => None,
    });
    let gesture = world.engine.gesture(&session, declares, shown)?;
    world.name(Some(name), (session, agent), Thing::Gesture(gesture));
    Ok(Seen::done())
}

/// A graph that does not validate is refused, and the last good one stays in force.
pub(super) fn load(world: &World, node: &Node) -> Result<Seen, EngineError> {
    match load_inline_graph(node) {
        Ok(loaded) => {
            world.engine.load_from(loaded.graph, None, loaded.source)?;
            Ok(Seen::word("loaded"))
        }
        Err(problems) => {
            let mut seen = Seen::refused();
            seen.why = problems.first().map(|problem| problem.message.clone());
            world.engine.graph_refused(seen.why.as_deref().unwrap_or_default())?;
            Ok(seen)
        }
    }
}
