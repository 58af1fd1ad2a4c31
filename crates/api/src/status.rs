//! The state of the daemon, paused agents, and whether an operator is present.

use crate::Timestamp;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::application::ApplicationRights;
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
    /// The file that the graph is in; none if the daemon has none.
    pub graph_file: Option<GraphFileView>,
    pub open_requests: usize,
    pub open_notices: usize,
    pub paused: Vec<Agent>,
    pub presence: Presence,
    /// What is wrong now, until it is fixed.
    pub problems: Vec<ProblemView>,
    /// The applications that have a token. Code that shares a process with one shares its authority.
    #[serde(default)]
    pub applications: Vec<ApplicationStatus>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplicationStatus {
    pub agent: Agent,
    pub rights: ApplicationRights,
}

/// The graph file in force.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GraphFileView {
    /// Absolute.
    pub path: String,
    /// When this daemon put the version into force.
    pub in_force_since: Timestamp,
    /// What became looser or stricter with it; none for the version of the daemon's start.
    pub change: Option<String>,
}

/// Something that is wrong with the daemon.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProblemView {
    /// `graph`, `record` or `disk`.
    pub about: String,
    pub text: String,
    pub since: Timestamp,
}

/// The agent to pause; `*` pauses all agents, also those that come later.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseRequest {
    pub agent: Agent,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PauseResponse {
    pub paused: Agent,
}

/// The agent to resume; `*` resumes all.
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
