//! Open sessions, and ending one.

use crate::{RecordedState, Timestamp};
use countersign_core::model::names::{Agent, Project, SessionName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A session that is open.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionView {
    pub agent: Agent,
    pub session: SessionName,
    pub project: Option<Project>,
    /// Counts the openings of this name by this agent, from 1.
    pub opening: u32,
    /// When its agent last submitted something, to within a quarter of an hour.
    pub active_at: Timestamp,
    /// When it ends if its agent submits nothing more.
    pub idles_out_at: Timestamp,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResponse {
    /// The session that was used last comes first. Bounded; there may be more.
    pub sessions: Vec<SessionView>,
}

/// The session to end. An operator writes `NAME`, or `AGENT/NAME` if several agents have one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndSessionRequest {
    pub session: SessionName,
    #[serde(default)]
    pub reason: EndSessionReason,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndSessionReason {
    #[default]
    Ended,
    /// The program goes on with an empty conversation in another session. That one asks for the
    /// hand-over, which ends this one. Only an adapter can send it.
    Cleared,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndSessionResponse {
    pub agent: Agent,
    pub session: SessionName,
    /// False if it was not open, so that nothing was done.
    pub ended: bool,
}

/// Says that an own session is that of a sub-agent. It is opened if necessary.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubAgentRequest {
    /// The session of the sub-agent.
    pub session: SessionName,
    /// The project of that session, if it is not open yet: see `POST /v1/check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// The session of the agent that started it.
    pub above: SessionName,
    /// The agent that started it, if it is not the same. Only an adapter can send it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_agent: Option<Agent>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubAgentResponse {
    pub agent: Agent,
    pub session: SessionName,
    pub state: RecordedState,
}
