//! The state of the daemon, paused agents, and whether an operator is present.

use countersign_core::encoding::digest::Digest;
use countersign_core::model::names::{Agent, SurfaceName};
use countersign_core::model::words::Presence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of the daemon.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusResponse {
    pub version: String,
    /// `L0` to `L3`: what separates an agent from an answer.
    pub assurance: String,
    /// The hash of the graph in force. Without a graph nothing is allowed.
    pub graph: Option<Digest>,
    pub open_requests: usize,
    pub open_notices: usize,
    pub paused: Vec<Agent>,
    pub presence: Presence,
}

/// The agent to pause.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    pub agent: Agent,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PauseResponse {
    pub paused: Agent,
}

/// The agent to resume.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeRequest {
    pub agent: Agent,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumeResponse {
    pub resumed: Agent,
}

/// Whether the operator is present, as one surface knows it. Never an answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PresenceRequest {
    /// The name with which the surface reads events. The report ends when the stream does.
    pub surface: SurfaceName,
    pub presence: Presence,
}

/// The presence over all surfaces: `active` before `idle` before `away`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PresenceResponse {
    pub presence: Presence,
}
