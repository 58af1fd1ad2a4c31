//! Looking at the graph and its project grants again, and when that is due.

use crate::api::Shared;
use crate::body::Body;
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    DueReviewsResponse, EmptyRequest, GrantReviewView, ReviewResponse, ReviewState, RuleReviewView,
    Timestamp,
};
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::graph::{Decay, Graph, Reviewed as Looked};
use countersign_core::model::limits::PROJECT_REVIEW_DAYS;
use countersign_core::model::time::{Date, Span, Time};

pub(super) async fn reviewed(
    State(daemon): Shared,
    Body(EmptyRequest {}): Body<EmptyRequest>,
) -> Result<Json<ReviewResponse>, Fault> {
    daemon.run(|engine| engine.review_graph()).await?;
    Ok(Json(ReviewResponse { state: ReviewState::Reviewed }))
}

pub(super) async fn due(State(daemon): Shared) -> Result<Json<DueReviewsResponse>, Fault> {
    let known = daemon.run(|engine| engine.read_project_grants()).await?;
    let (graph, now) = (daemon.graph()?, daemon.now());
    let days = graph.as_ref().map_or(PROJECT_REVIEW_DAYS, |graph| graph.review_days.into());
    let live = known.grants.iter().filter(|grant| is_reviewed(grant, now));
    let grants: Vec<GrantReviewView> = live.map(|grant| grant_due(grant, days, now)).collect();
    let rules = graph.map_or_else(Vec::new, |graph| rules_due(&graph, now.date()));
    let left = rules.iter().map(|due| due.days_left);
    let days_left = left.chain(grants.iter().map(|due| due.days_left)).min();
    Ok(Json(DueReviewsResponse { days_left, rules, grants }))
}

fn is_reviewed(grant: &Grant, now: Time) -> bool {
    matches!(grant.owner, Owner::Project(_)) && grant.ends_at.is_none() && grant.in_force(now)
}

fn grant_due(grant: &Grant, days: i64, now: Time) -> GrantReviewView {
    let due_on = (grant.reviewed_at + Span::days(days)).date();
    GrantReviewView {
        id: grant.id,
        agent: grant.agent.clone(),
        covers: grant.coverage.to_string(),
        reviewed_at: Timestamp(grant.reviewed_at),
        due_on: due_on.to_string(),
        days_left: due_on.days_since(now.date()),
    }
}

/// The graph as a whole, and each domain that has a date of its own.
fn rules_due(graph: &Graph, today: Date) -> Vec<RuleReviewView> {
    let Decay::AfterDays(days) = graph.decay else { return Vec::new() };
    let due = |domain: Option<&str>, looked: &Looked| {
        let on = match looked {
            // A day that has not come yet is no review.
            Looked::On(date) if *date <= today => Some(*date),
            Looked::On(_) | Looked::Never | Looked::Unreadable(_) => None,
        };
        let due_on = on.map(|date| date.plus_days(days.into()));
        RuleReviewView {
            domain: domain.map(str::to_owned),
            last_reviewed: on.map(|date| date.to_string()),
            due_on: due_on.map(|date| date.to_string()),
            days_left: due_on.map_or(0, |date| date.days_since(today)),
        }
    };
    let own = graph.domains.iter().filter_map(|(name, domain)| {
        domain.last_reviewed.as_ref().map(|looked| due(Some(name), looked))
    });
    std::iter::once(due(None, &graph.last_reviewed)).chain(own).collect()
}
