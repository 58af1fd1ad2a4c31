//! Reviews of the graph and of project grants.

use crate::Timestamp;
use countersign_core::model::ids::GrantId;
use countersign_core::model::names::Agent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The graph and its project grants were reviewed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewResponse {
    pub state: ReviewState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    Reviewed,
}

/// What is due for review, and when.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DueReviewsResponse {
    /// Days until the first review is due; 0 or less if one is due now. None if none ever is.
    pub days_left: Option<i64>,
    /// Rules that allow without asking: the graph as a whole, and domains with a review date of
    /// their own. Empty if rules do not decay.
    pub rules: Vec<RuleReviewView>,
    /// Project grants. One that is due carries nothing.
    pub grants: Vec<GrantReviewView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RuleReviewView {
    /// None for the graph as a whole.
    pub domain: Option<String>,
    /// A day, as `2026-01-05`. None if there was no review, or its date cannot be read.
    pub last_reviewed: Option<String>,
    /// None if there was no review: it is due now.
    pub due_on: Option<String>,
    pub days_left: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantReviewView {
    pub id: GrantId,
    pub agent: Agent,
    pub covers: String,
    pub reviewed_at: Timestamp,
    pub due_on: String,
    pub days_left: i64,
}
