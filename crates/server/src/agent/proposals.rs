//! Changes that an agent proposes to itself: submit and apply. Only the operator approves them.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::{CallerExtension, PeerExtension, ServerState};
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
use countersign_engine::SessionOwner;
use countersign_operations::propose::{ProposalRefusal, refusal};

pub(super) async fn propose(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<ProposalRequest>,
) -> Result<Json<ProposalResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    let draft = ProposalDraft {
        session: caller.session(&body.session),
        agent: caller.agent,
        project: body.project,
        action: body.action,
        // Only a signed proposal would be trusted.
        channel: Channel::Untrusted,
        diff: body.diff.map(Into::into),
        undo: body.undo.map(Into::into),
        edits: body.edits,
        parking: daemon.host.limit_parking(body.park.into()),
    };
    let (id, decision) = daemon.run(move |engine| engine.propose(&draft)).await?;
    Ok(Json(ProposalResponse {
        proposal_id: (decision.outcome != Outcome::Deny).then_some(id),
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(&decision),
    }))
}

pub(super) async fn get_proposal(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<ProposalId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<ProposalView>, ApiError> {
    let state = daemon.run(move |engine| engine.read_proposal(id)).await?;
    let proposal = state.proposals.get(&id);
    let own = proposal.filter(|own| own.session == caller.session(&session));
    Ok(Json(own.ok_or_else(|| ApiError::unknown("proposal"))?.into()))
}

pub(super) async fn apply_proposal(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<ProposalId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<ProposalActionResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    let applied = daemon.run(move |engine| engine.apply_proposal(id, &owner)).await?;
    proposal_response(id, applied, ProposalStatus::Applied)
}

fn proposal_response(
    proposal_id: ProposalId,
    result: Result<(), ProposalRefusal>,
    state: ProposalStatus,
) -> Result<Json<ProposalActionResponse>, ApiError> {
    match result {
        Ok(()) => Ok(Json(ProposalActionResponse { proposal_id, state })),
        Err(ProposalRefusal { reason: Reason::Malformed, .. }) => {
            Err(ApiError::unknown("proposal"))
        }
        Err(refused) => {
            let remedy = match refused.reason {
                Reason::Cooling => "wait until its cooling time is over",
                Reason::NoGrant => "wait for the operator's answer",
                Reason::AlreadyDone => "there is nothing to do",
                _ => "submit it again if you still need it",
            };
            Err(ApiError::conflict(explain::sentence(&refusal(refused)), remedy))
        }
    }
}
