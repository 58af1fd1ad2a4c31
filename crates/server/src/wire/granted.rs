//! What is sent and answered about grants.

use super::At;
use countersign_core::grant::{Coverage, Grant, GrantState, Owner, Scope, Source};
use countersign_core::ids::{GrantId, RequestId, RunId};
use countersign_core::names::{Agent, SessionName, Workflow};
use countersign_core::time::Time;
use countersign_core::words::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was granted, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Grants {
    pub grants: Vec<GrantForm>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantForm {
    pub id: GrantId,
    pub agent: Agent,
    pub owner: Owner,
    /// The session in which the operator gave it.
    pub made_in: SessionName,
    pub coverage: Coverage,
    /// The same, in words.
    pub covers: String,
    pub scope: Scope,
    pub source: Source,
    /// Nothing above this is carried.
    pub shown: Risk,
    pub granted_at: At,
    /// A project grant has a review date instead.
    pub ends_at: Option<At>,
    pub reviewed_at: At,
    pub run: Option<RunId>,
    pub request: Option<RequestId>,
    pub uses: u32,
    pub state: GrantState,
    /// Whether it could carry a call now.
    pub in_force: bool,
}

impl GrantForm {
    pub fn of(grant: &Grant, now: Time) -> Self {
        let in_force = grant.in_force(now);
        let covers = grant.coverage.to_string();
        let grant = grant.clone();
        Self {
            id: grant.id,
            agent: grant.agent,
            owner: grant.owner,
            made_in: grant.made_in,
            coverage: grant.coverage,
            covers,
            scope: grant.scope,
            source: grant.source,
            shown: grant.shown,
            granted_at: At(grant.granted_at),
            ends_at: grant.ends_at.map(At),
            reviewed_at: At(grant.reviewed_at),
            run: grant.run,
            request: grant.request,
            uses: grant.uses,
            state: grant.state,
            in_force,
        }
    }
}

/// What to take back: one of these.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Revoke {
    /// All of a session, or what is named beside it in that session only.
    #[serde(default)]
    pub session: Option<SessionName>,
    #[serde(default)]
    pub grant: Option<GrantId>,
    #[serde(default)]
    pub workflow: Option<Workflow>,
    #[serde(default)]
    pub all: bool,
}

/// What was taken back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Revoked {
    pub revoked: Vec<GrantId>,
}
