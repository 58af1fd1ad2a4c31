//! The proposals of agents. An answer to its request approves a proposal; these routes list,
//! apply, veto and undo.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    EmptyRequest, ProposalActionResponse, ProposalStatus, ProposalView, ProposalsQuery,
    ProposalsResponse,
};
use countersign_core::decide::explain;
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::Proposal;
use countersign_core::model::words::Reason;
use countersign_operations::propose::{ProposalRefusal, refusal};

pub(crate) async fn list_proposals(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<ProposalsQuery>,
) -> Result<Json<ProposalsResponse>, ApiError> {
    let state = daemon.run(|engine| engine.read_whole_state()).await?;
    let is_before = |proposal: &&Proposal| query.before.is_none_or(|before| proposal.id < before);
    let mut proposals: Vec<&Proposal> = state.proposals.values().filter(is_before).collect();
    // An id starts with the time of its creation, so this puts the newest first.
    proposals.sort_by_key(|proposal| std::cmp::Reverse(proposal.id));
    let has_more = proposals.len() > query.limit.number();
    proposals.truncate(query.limit.number());
    let next = proposals.last().filter(|_| has_more).map(|proposal| proposal.id);
    let summary =
        |proposal| ProposalView { diff: None, undo: None, ..ProposalView::from(proposal) };
    let proposals = proposals.into_iter().map(summary).collect();
    Ok(Json(ProposalsResponse { proposals, next }))
}

pub(crate) async fn get_proposal(
    State(daemon): ServerState,
    PathParam(id): PathParam<ProposalId>,
) -> Result<Json<ProposalView>, ApiError> {
    let state = daemon.run(move |engine| engine.read_proposal(id)).await?;
    let proposal = state.proposals.get(&id).ok_or_else(|| ApiError::unknown("proposal"))?;
    Ok(Json(proposal.into()))
}

/// Applies a proposal that is approved and has cooled. The agent can do the same.
pub(crate) async fn apply(
    State(daemon): ServerState,
    PathParam(id): PathParam<ProposalId>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<ProposalActionResponse>, ApiError> {
    let applied = daemon.run(move |engine| engine.apply_proposal_as_operator(id)).await?;
    proposal_response(id, applied, ProposalStatus::Applied)
}

pub(crate) async fn veto(
    State(daemon): ServerState,
    PathParam(id): PathParam<ProposalId>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<ProposalActionResponse>, ApiError> {
    let vetoed = daemon.run(move |engine| engine.veto_proposal(id)).await?;
    proposal_response(id, vetoed, ProposalStatus::Vetoed)
}

pub(crate) async fn undo(
    State(daemon): ServerState,
    PathParam(id): PathParam<ProposalId>,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<ProposalActionResponse>, ApiError> {
    let undone = daemon.run(move |engine| engine.undo_proposal(id)).await?;
    proposal_response(id, undone, ProposalStatus::Undone)
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
            let (message, remedy) = describe_refusal(state, refused);
            Err(ApiError::conflict(message, remedy))
        }
    }
}

/// Why a proposal does not get the state that the operator wants for it, and what to do.
fn describe_refusal(wanted: ProposalStatus, refused: ProposalRefusal) -> (String, &'static str) {
    let (message, remedy) = match (wanted, refused.reason) {
        (ProposalStatus::Undone, Reason::NoGrant) => ("it is not applied", "veto it instead"),
        (ProposalStatus::Undone, Reason::Expired) => {
            ("its undo window is closed", "the agent can propose to change it back")
        }
        (ProposalStatus::Undone, Reason::AlreadyDone) => {
            ("it is undone already", "there is nothing to do")
        }
        (ProposalStatus::Vetoed, Reason::AlreadyDone) => ("it is applied already", "undo it"),
        (_, Reason::AlreadyDone) => ("it was applied already", "there is nothing to do"),
        (_, Reason::NoGrant) => ("you haven't allowed it yet", "approve its request first"),
        (_, Reason::DeclinedBefore) => ("you declined or vetoed it", AGENT_SUBMITS),
        (_, Reason::Expired) => ("nobody answered it in time", AGENT_SUBMITS),
        (_, reason) => {
            let remedy = match reason {
                Reason::Cooling => "apply it then, or veto it",
                _ => AGENT_SUBMITS,
            };
            return (explain::operator_sentence(&refusal(refused)), remedy);
        }
    };
    (message.to_owned(), remedy)
}

const AGENT_SUBMITS: &str = "the agent can submit it again";
