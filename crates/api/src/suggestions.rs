//! Grants and graph rules that would end questions which were always approved.

use crate::{Text, Timestamp};
use countersign_card::Suggestion;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::{Project, SessionName};
use countersign_core::model::words::Covers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which approvals to look at.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestionsQuery {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// Only questions that were asked at this instant or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuggestionsResponse {
    /// The one that would have spared most comes first. Bounded.
    pub suggestions: Vec<Suggestion>,
    /// How many closed requests were looked at, the newest of each agent.
    pub looked_at: usize,
    /// Whether there are older ones, or more agents.
    pub more: bool,
}

/// The suggested grant to give, as it was listed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplySuggestionRequest {
    pub session: SessionName,
    /// The approved request that the grant is like.
    pub request: RequestId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub scope: SuggestedScope,
    /// `yes`: the second confirmation that high risk needs in a whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Text<256>>,
}

/// The scopes of suggested grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestedScope {
    Session,
    Project,
}
