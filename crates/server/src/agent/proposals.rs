//! Changes of an agent to itself: submitting and applying them. Approving one is not here.

use crate::api::{By, Shared};
use crate::body::{Body, Id, Queried};
use crate::fault::Fault;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    ProposalActionResponse, ProposalRequest, ProposalResponse, ProposalStatus, ProposalView,
    SessionQuery, SessionRequest,
};
use countersign_core::decide::explain;
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::ProposalDraft;
use countersign_core::model::words::{Channel, Outcome, Reason};
use countersign_core::steps::propose::refusal;
use countersign_engine::SessionOwner;

pub(super) async fn propose(
    State(daemon): Shared,
    Extension(caller): By,
    Body(given): Body<ProposalRequest>,
) -> Result<Json<ProposalResponse>, Fault> {
    caller.observes("project", given.project.as_ref())?;
    let draft = ProposalDraft {
        session: given.session,
        agent: caller.agent,
        project: given.project,
        action: given.action,
        // Only a signature of its own would make it a trusted one.
        channel: Channel::Untrusted,
        diff: given.diff.map(Into::into),
        undo: given.undo.map(Into::into),
        edits: given.edits,
        parking: daemon.parking(given.park),
    };
    let (id, decision) = daemon.run(move |engine| engine.propose(&draft)).await?;
    Ok(Json(ProposalResponse {
        proposal_id: (decision.outcome != Outcome::Deny).then_some(id),
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(&decision),
    }))
}

pub(super) async fn status(
    State(daemon): Shared,
    Extension(caller): By,
    Id(id): Id<ProposalId>,
    Queried(SessionQuery { session }): Queried<SessionQuery>,
) -> Result<Json<ProposalView>, Fault> {
    let known = daemon.run(move |engine| engine.read_proposal(id)).await?;
    let found = known.proposals.get(&id);
    let own = found.filter(|found| found.session == session && found.agent == caller.agent);
    Ok(Json(own.ok_or_else(|| Fault::unknown("proposal"))?.into()))
}

pub(super) async fn apply(
    State(daemon): Shared,
    Extension(caller): By,
    Id(id): Id<ProposalId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<ProposalActionResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let applied = daemon.run(move |engine| engine.apply_proposal(id, &owner)).await?;
    acted(id, applied, ProposalStatus::Applied)
}

/// Done, or why not.
pub(crate) fn acted(
    proposal_id: ProposalId,
    done: Result<(), Reason>,
    state: ProposalStatus,
) -> Result<Json<ProposalActionResponse>, Fault> {
    match done {
        Ok(()) => Ok(Json(ProposalActionResponse { proposal_id, state })),
        Err(Reason::Malformed) => Err(Fault::unknown("proposal")),
        Err(reason) => {
            let remedy = match reason {
                Reason::Cooling => "wait until it has cooled",
                Reason::NoGrant => "wait for the operator's answer",
                Reason::AlreadyDone => "there is nothing to do",
                _ => "submit it again, if it is still wanted",
            };
            Err(Fault::conflict(explain::sentence(&refusal(reason)), remedy))
        }
    }
}
