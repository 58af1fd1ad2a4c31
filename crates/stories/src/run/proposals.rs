//! Steps on proposals: submit, edit, apply, veto and undo.

use super::StepResult;
use super::env::{NamedThing, StoryEnv};
use crate::case::{CaseStep, ProposeStep, StepKind};
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::ProposalDraft;
use countersign_core::model::words::Reason;
use countersign_engine::{EngineError, SessionOwner};
use countersign_operations::propose::{ProposalRefusal, refusal};

pub(super) fn submit_proposal(
    env: &mut StoryEnv,
    step: &CaseStep,
    propose: &ProposeStep,
) -> Result<StepResult, EngineError> {
    let SessionOwner { session, agent } = env.open_session(step)?;
    let draft = ProposalDraft {
        session: session.clone(),
        agent: agent.clone(),
        project: step.project.clone(),
        action: propose.action.clone(),
        channel: propose.channel,
        diff: propose.diff.clone(),
        undo: propose.undo.clone(),
        edits: propose.name.as_deref().and_then(|name| find_proposal(env, name)),
        parking: propose.parking,
    };
    let (id, decision) = env.engine.propose(&draft)?;
    env.store_name(
        propose.name.as_ref(),
        SessionOwner { session, agent },
        NamedThing::Proposal(id),
    );
    Ok(StepResult::from_decision(decision))
}

pub(super) fn act_on_proposal(env: &StoryEnv, step: &CaseStep) -> Result<StepResult, EngineError> {
    let outcome = match &step.kind {
        StepKind::Apply(name) => {
            find_proposal(env, name).map(|id| apply_proposal(env, step, name, id))
        }
        StepKind::Veto(name) => find_proposal(env, name).map(|id| env.engine.veto_proposal(id)),
        StepKind::Undo(name) => find_proposal(env, name).map(|id| env.engine.undo_proposal(id)),
        _ => None,
    };
    match outcome.transpose()? {
        Some(Ok(())) => Ok(StepResult::success()),
        Some(Err(refused)) => {
            let mut result = StepResult::refusal();
            result.decision = Some(refusal(refused));
            Ok(result)
        }
        None => Ok(StepResult::refusal()),
    }
}

fn apply_proposal(
    env: &StoryEnv,
    step: &CaseStep,
    name: &str,
    id: ProposalId,
) -> Result<Result<(), ProposalRefusal>, EngineError> {
    let Some(named) = env.names.get(name) else { return Ok(Err(Reason::Malformed.into())) };
    env.engine.apply_proposal(id, &named.owner_in(step))
}

fn find_proposal(env: &StoryEnv, name: &str) -> Option<ProposalId> {
    match env.names.get(name)?.thing {
        NamedThing::Proposal(id) => Some(id),
        _ => None,
    }
}
