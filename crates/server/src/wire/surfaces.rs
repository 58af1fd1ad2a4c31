//! What surfaces report, and what is due to be looked at.

use super::{BoundedList, Timestamp};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::ids::{CallId, GestureId, GrantId, NoticeId, RequestId};
use countersign_core::model::names::{Action, Agent, SessionName, SurfaceName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A surface has shown a card or a notice: one of them. That anybody saw it is not said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "required": ["request"],
        "properties": {"request": {"type": "string"}, "notice": {"type": "null"}},
    },
    {
        "required": ["notice"],
        "properties": {"notice": {"type": "string"}, "request": {"type": "null"}},
    },
]))]
pub struct DeliveryRequest {
    #[serde(default)]
    pub request: Option<RequestId>,
    #[serde(default)]
    pub notice: Option<NoticeId>,
    pub surface: SurfaceName,
    pub evidence: Evidence,
}

/// A click or slash command of the operator: what follows from it within a minute is covered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["declares"], "properties": {"declares": {"minItems": 1}}},
    {"required": ["shows"], "properties": {"shows": {"type": "string"}}},
]))]
pub struct GestureRequest {
    pub session: SessionName,
    /// What it covers.
    #[serde(default)]
    pub declares: BoundedList<Action, 64>,
    /// The call that the surface showed.
    #[serde(default)]
    pub shows: Option<CallId>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct GestureResponse {
    pub gesture_id: GestureId,
}

/// What is due for review, and when.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DueReviewsResponse {
    /// Until the first of it is due; none if nothing ever is, and 0 or less if something is due.
    pub days_left: Option<i64>,
    /// Rules that are allowed without asking: as a whole, and domains with a date of their own. None
    /// where they do not decay.
    pub rules: Vec<RuleReviewView>,
    /// Grants of projects: one that is due carries nothing.
    pub grants: Vec<GrantReviewView>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleReviewView {
    /// None for the graph as a whole.
    pub domain: Option<String>,
    /// A day, as `2026-01-05`; none if never, or if nobody can read it.
    pub last_reviewed: Option<String>,
    /// None where it was never reviewed: it is due.
    pub due_on: Option<String>,
    pub days_left: i64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantReviewView {
    pub id: GrantId,
    pub agent: Agent,
    pub covers: String,
    pub reviewed_at: Timestamp,
    pub due_on: String,
    pub days_left: i64,
}
