//! Reviews of the graph and its project grants, and when they are due.

use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{
    DueReviewsResponse, EmptyRequest, GrantReviewView, ReviewResponse, ReviewState, RuleReviewView,
    Timestamp,
};
use countersign_card::describe_grant;
use countersign_core::model::grant::{Grant, Owner};
use countersign_core::model::graph::{Decay, Graph, LastReview};
use countersign_core::model::limits::PROJECT_REVIEW_DAYS;
use countersign_core::model::time::{Date, Span, Time};

pub(crate) async fn review(
    State(daemon): ServerState,
    JsonBody(EmptyRequest {}): JsonBody<EmptyRequest>,
) -> Result<Json<ReviewResponse>, ApiError> {
    daemon.run(|engine| engine.review_graph()).await?;
    Ok(Json(ReviewResponse { state: ReviewState::Reviewed }))
}

pub(crate) async fn list_due_reviews(
    State(daemon): ServerState,
) -> Result<Json<DueReviewsResponse>, ApiError> {
    let state = daemon.run(|engine| engine.read_project_grants()).await?;
    let (graph, now) = (daemon.graph()?, daemon.display_time().await?);
    let days = graph.as_ref().map_or(PROJECT_REVIEW_DAYS, |graph| graph.review_days.into());
    let reviewed = state.grants.iter().filter(|grant| needs_review(grant, now));
    let grants: Vec<GrantReviewView> =
        reviewed.map(|grant| grant_review((grant, &state), days, now)).collect();
    let rules = graph.map_or_else(Vec::new, |graph| rule_reviews(&graph, now.date()));
    let rule_days = rules.iter().map(|rule| rule.days_left);
    let days_left = rule_days.chain(grants.iter().map(|grant| grant.days_left)).min();
    Ok(Json(DueReviewsResponse { days_left, rules, grants }))
}

fn needs_review(grant: &Grant, now: Time) -> bool {
    matches!(grant.owner, Owner::Project(_)) && grant.ends_at.is_none() && grant.in_force(now)
}

fn grant_review(
    (grant, state): (&Grant, &countersign_core::state::State),
    days: i64,
    now: Time,
) -> GrantReviewView {
    let due_on = (grant.reviewed_at + Span::days(days)).date();
    GrantReviewView {
        id: grant.id,
        agent: grant.agent.clone(),
        covers: describe_grant(grant, state).to_string(),
        reviewed_at: Timestamp(grant.reviewed_at),
        due_on: due_on.to_string(),
        days_left: due_on.days_since(now.date()),
    }
}

/// The graph as a whole, and each domain with its own review date.
fn rule_reviews(graph: &Graph, today: Date) -> Vec<RuleReviewView> {
    let Decay::AfterDays(days) = graph.decay else { return Vec::new() };
    let review = |domain: Option<&str>, reviewed: &LastReview| {
        let date = match reviewed {
            // A date in the future does not count as a review.
            LastReview::On(date) if *date <= today => Some(*date),
            LastReview::On(_) | LastReview::Never | LastReview::Unreadable(_) => None,
        };
        let due_on = date.map(|date| date.plus_days(days.into()));
        RuleReviewView {
            domain: domain.map(str::to_owned),
            last_reviewed: date.map(|date| date.to_string()),
            due_on: due_on.map(|date| date.to_string()),
            days_left: due_on.map_or(0, |date| date.days_since(today)),
        }
    };
    let domains = graph.domains.iter().filter_map(|(name, domain)| {
        domain.last_reviewed.as_ref().map(|reviewed| review(Some(name), reviewed))
    });
    std::iter::once(review(None, &graph.last_reviewed)).chain(domains).collect()
}
