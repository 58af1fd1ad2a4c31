//! What agents propose to change about themselves. An answer to its request approves one.

use crate::agent::acted;
use crate::api::Shared;
use crate::body::{Body, Id, Queried};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    EmptyRequest, ProposalActionResponse, ProposalStatus, ProposalView, ProposalsQuery,
    ProposalsResponse,
};
use countersign_core::model::ids::ProposalId;
use countersign_core::model::proposal::Proposal;

pub(super) async fn all(
    State(daemon): Shared,
    Queried(which): Queried<ProposalsQuery>,
) -> Result<Json<ProposalsResponse>, Fault> {
    let known = daemon.run(|engine| engine.read_whole_state()).await?;
    let older = |proposal: &&Proposal| which.before.is_none_or(|before| proposal.id < before);
    let mut all: Vec<&Proposal> = known.proposals.values().filter(older).collect();
    // An id begins with the instant at which it was made.
    all.sort_by_key(|proposal| std::cmp::Reverse(proposal.id));
    let more = all.len() > which.limit.number();
    all.truncate(which.limit.number());
    let next = all.last().filter(|_| more).map(|proposal| proposal.id);
    let short = |proposal| ProposalView { diff: None, undo: None, ..ProposalView::from(proposal) };
    Ok(Json(ProposalsResponse { proposals: all.into_iter().map(short).collect(), next }))
}

pub(super) async fn one(
    State(daemon): Shared,
    Id(id): Id<ProposalId>,
) -> Result<Json<ProposalView>, Fault> {
    let known = daemon.run(move |engine| engine.read_proposal(id)).await?;
    let found = known.proposals.get(&id).ok_or_else(|| Fault::unknown("proposal"))?;
    Ok(Json(found.into()))
}

pub(super) async fn veto(
    State(daemon): Shared,
    Id(id): Id<ProposalId>,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<ProposalActionResponse>, Fault> {
    let vetoed = daemon.run(move |engine| engine.veto_proposal(id)).await?;
    acted(id, vetoed, ProposalStatus::Vetoed)
}

pub(super) async fn undo(
    State(daemon): Shared,
    Id(id): Id<ProposalId>,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<ProposalActionResponse>, Fault> {
    let undone = daemon.run(move |engine| engine.undo_proposal(id)).await?;
    acted(id, undone, ProposalStatus::Undone)
}
