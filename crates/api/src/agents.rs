//! Credentials of agents, and the operator's own token.

use crate::{ApplicationRequest, Timestamp};
use countersign_core::model::application::ApplicationRights;
use countersign_core::model::names::Agent;
use countersign_core::model::words::Principal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that gets a token.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddAgentRequest {
    pub agent: Agent,
    /// True for the adapter that reports for the agent, instead of the agent itself.
    #[serde(default)]
    pub adapter: bool,
    /// For an application: what it is bound to.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::json::deserialize_object"
    )]
    pub application: Option<ApplicationRequest>,
}

/// The new token. No other response shows it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub struct AddAgentResponse {
    pub agent: Agent,
    pub principal: Principal,
    pub token: String,
}

/// The agents that hold a token.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentsResponse {
    pub agents: Vec<AgentView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    pub agent: Agent,
    pub principal: Principal,
    /// None for a token that another node on the same record has issued.
    pub issued_at: Option<Timestamp>,
    /// What an application is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationRights>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RevokeAgentResponse {
    pub agent: Agent,
    /// The credentials that it held.
    pub revoked: Vec<Principal>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RenewTokenResponse {
    /// The file that holds the new token. The token is not sent: the caller may have used a leaked
    /// one.
    pub file: String,
}
