//! Proposals in a story: submitted, edited, applied, vetoed, undone.

use super::Seen;
use super::agent::parking;
use super::world::{Thing, World};
use crate::case::{Does, ProposeStep, Step};
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::ProposalDraft;
use countersign_core::model::words::Reason;
use countersign_core::steps::propose::refusal;
use countersign_engine::EngineError;

pub(super) fn propose(
    world: &mut World,
    step: &Step,
    propose: &ProposeStep,
) -> Result<Seen, EngineError> {
    let (session, agent) = world.open(step)?;
    let draft = ProposalDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        action: propose.action.clone(),
        channel: propose.channel,
        diff: propose.diff.clone(),
        undo: propose.undo.clone(),
        edits: propose.name.as_deref().and_then(|name| named(world, name)),
        parking: parking(propose.park),
    };
    let (id, decision) = world.engine.propose(&draft)?;
    world.name(propose.name.as_ref(), (session, agent), Thing::Proposal(id));
    Ok(Seen::decided(decision))
}

pub(super) fn act(world: &World, step: &Step) -> Result<Seen, EngineError> {
    let acted = match &step.does {
        Does::Apply(name) => named(world, name).map(|id| apply(world, step, name, id)),
        Does::Veto(name) => named(world, name).map(|id| world.engine.veto(id)),
        Does::Undo(name) => named(world, name).map(|id| world.engine.undo(id)),
        _ => None,
    };
    match acted.transpose()? {
        Some(Ok(())) => Ok(Seen::done()),
        Some(Err(reason)) => {
            let mut seen = Seen::refused();
            seen.decision = Some(refusal(reason));
            Ok(seen)
        }
        None => Ok(Seen::refused()),
    }
}

fn apply(
    world: &World,
    step: &Step,
    name: &str,
    id: ProposalId,
) -> Result<Result<(), Reason>, EngineError> {
    let Some(own) = world.names.get(name) else { return Ok(Err(Reason::Malformed)) };
    let session = step.session.as_ref().unwrap_or(&own.session);
    let agent = step.agent.as_ref().unwrap_or(&own.agent);
    world.engine.apply(id, session, agent)
}

fn named(world: &World, name: &str) -> Option<ProposalId> {
    match world.names.get(name)?.thing {
        Thing::Proposal(id) => Some(id),
        _ => None,
    }
}
