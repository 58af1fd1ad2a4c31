//! What the pages beside *Now*, *Record* and *Grants* read: proposals, notices, agents, status.

use super::page_state::PageState;
use super::respond::page_response;
use super::visit::Visit;
use crate::agent_tokens;
use crate::error::ApiError;
use crate::extract::{PathParam, QueryParams};
use crate::operator::{notices, proposals, sessions};
use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use countersign_api::{
    AgentsResponse, NoticesResponse, PageSize, ProposalsQuery, ProposalsResponse, SessionsResponse,
};
use countersign_core::model::names::Agent;
use countersign_dashboard::{
    AgentRow, AgentsPage, NoticesPage, PageName, ProposalsPage, StatusPage,
};
use std::collections::BTreeSet;

/// Proposals on one page, each with its difference: nobody reads more.
const LISTED_PROPOSALS: usize = 20;

pub(super) async fn show_proposals(
    visit: &Visit,
    page: &PageState<'_>,
) -> Result<Response, ApiError> {
    let query = ProposalsQuery { before: None, limit: PageSize::clamp(LISTED_PROPOSALS) };
    let listed = proposals::list_proposals(visit.plane(), QueryParams(query)).await;
    let Json(ProposalsResponse { proposals, .. }) = listed?;
    let mut whole = Vec::new();
    for one in proposals {
        let Json(view) = proposals::get_proposal(visit.plane(), PathParam(one.id)).await?;
        whole.push(view);
    }
    let frame = page.frame(PageName::Proposals, "");
    page_response(StatusCode::OK, &ProposalsPage { frame: &frame, proposals: whole })
}

pub(super) async fn show_notices(
    visit: &Visit,
    page: &PageState<'_>,
) -> Result<Response, ApiError> {
    let Json(NoticesResponse { mut notices }) = notices::list_notices(visit.plane()).await?;
    notices.reverse();
    let frame = page.frame(PageName::Notices, "");
    page_response(StatusCode::OK, &NoticesPage { frame: &frame, notices })
}

pub(super) async fn show_agents(visit: &Visit, page: &PageState<'_>) -> Result<Response, ApiError> {
    let Json(AgentsResponse { agents: tokens }) = agent_tokens::list_agents(visit.plane()).await?;
    let Json(SessionsResponse { sessions }) = sessions::list_sessions(visit.plane()).await?;
    let seen = visit.daemon.run(|engine| engine.agents_seen()).await?;
    let with_token = tokens.iter().map(|token| token.agent.clone());
    let names: BTreeSet<Agent> = seen.into_iter().chain(with_token).collect();
    let row = |agent: Agent| {
        let own = || sessions.iter().filter(|session| session.agent == agent);
        AgentRow {
            is_paused: page.status.paused.contains(&agent),
            tokens: tokens.iter().filter(|token| token.agent == agent).cloned().collect(),
            open_sessions: own().count(),
            last_seen: own().map(|session| session.active_at.0).max(),
            agent,
        }
    };
    let agents = names.into_iter().filter(|agent| !agent.is_everyone()).map(row).collect();
    let frame = page.frame(PageName::Agents, "");
    page_response(StatusCode::OK, &AgentsPage { frame: &frame, agents })
}

pub(super) async fn show_status(visit: &Visit, page: &PageState<'_>) -> Result<Response, ApiError> {
    let head = visit.daemon.run(|engine| engine.ledger_head()).await?.next;
    let own = visit.session.surface.as_str();
    let frame = page.frame(PageName::Status, "");
    let page = StatusPage {
        frame: &frame,
        status: page.status.clone(),
        entries: head.saturating_sub(1),
        browsers: visit.dashboard().lock_sessions().list(visit.now),
        own_browser: own.strip_prefix("dashboard-").unwrap_or(own).to_owned(),
    };
    page_response(StatusCode::OK, &page)
}
