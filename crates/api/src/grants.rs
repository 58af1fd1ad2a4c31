//! Grants: listing, keeping and revoking them.

use crate::{PageSize, Timestamp};
use countersign_core::model::grant::{Coverage, CoverageKind, GrantState, Owner, Scope, Source};
use countersign_core::model::ids::{CallId, GrantId, RequestId, RunId};
use countersign_core::model::names::{Action, Agent, Project, SessionName, Workflow};
use countersign_core::model::place::Bound;
use countersign_core::model::words::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which grants to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantsQuery {
    #[serde(default)]
    pub state: GrantFilter,
    /// Only grants that were given in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionName>,
    /// Only grants of this project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    #[serde(default)]
    pub owner: OwnerFilter,
    /// Only grants that were given before this one: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GrantId>,
    #[serde(default)]
    pub limit: PageSize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantFilter {
    /// Live, in use or given back.
    #[default]
    InForce,
    /// Given for one call, and used by it.
    Used,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerFilter {
    #[default]
    Anybody,
    Projects,
}

/// A page of grants, the newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantsResponse {
    pub grants: Vec<GrantView>,
    /// What to send as `before` for the next page. A page can be short and still have a next one.
    pub next: Option<GrantId>,
}

/// What a grant belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantOwner {
    /// As `AGENT/NAME`.
    Session(String),
    Project(Project),
    /// The user of the machine, in every project.
    User,
}

impl From<&Owner> for GrantOwner {
    fn from(owner: &Owner) -> Self {
        match owner {
            Owner::Session(session) => Self::Session(session.qualified_name()),
            Owner::Project(project) => Self::Project(project.clone()),
            Owner::User => Self::User,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantView {
    pub id: GrantId,
    pub agent: Agent,
    pub owner: GrantOwner,
    /// The session in which the operator gave it.
    pub session: SessionName,
    pub coverage: Coverage,
    /// The coverage in words, and where it holds.
    pub covers: String,
    /// Where it holds; none if it holds wherever its coverage applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Vec<Bound>>,
    pub scope: Scope,
    pub source: Source,
    /// The highest risk that it carries.
    pub max_risk: Risk,
    pub granted_at: Timestamp,
    /// A project's grant has a review date instead.
    pub ends_at: Option<Timestamp>,
    pub reviewed_at: Timestamp,
    /// For a project's grant: from this instant on it carries nothing until it is reviewed.
    pub review_at: Option<Timestamp>,
    pub run: Option<RunId>,
    pub request: Option<RequestId>,
    /// What the agent asked ahead for, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The reason that the agent gave. Nobody has verified it.
    pub reason: Option<String>,
    pub uses: u32,
    pub last_use: Option<GrantUseView>,
    pub state: GrantState,
    /// Whether it could carry a call now.
    pub in_force: bool,
}

/// One use of a grant.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantUseView {
    pub call: CallId,
    pub at: Timestamp,
    /// The actions of that call.
    pub actions: Vec<Action>,
}

/// A project's grant was reviewed and kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeepGrantResponse {
    pub kept: GrantId,
}

/// What to revoke: one of these.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["grant"], "properties": {"grant": {"type": "string"}, "workflow": {"type": "null"}}},
    {"required": ["workflow"], "properties": {"workflow": {"type": "string"}, "grant": {"type": "null"}}},
    {"required": ["session"], "properties": {"session": {"type": "string"}, "grant": {"type": "null"}}},
    {"required": ["all"], "properties": {"all": {"const": true}, "grant": {"type": "null"}}},
]))]
pub struct RevokeRequest {
    /// Everything of this session, or only the workflow in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
    #[serde(default)]
    pub all: bool,
}

impl RevokeRequest {
    pub fn for_grant(grant: GrantId) -> Self {
        Self { grant: Some(grant), ..Self::default() }
    }

    pub fn for_all() -> Self {
        Self { all: true, ..Self::default() }
    }
}

/// The grants that were revoked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RevokeResponse {
    pub revoked: Vec<GrantId>,
    /// The same, by what they are: the class grant of a workflow, its runs, or other grants.
    pub grants: Vec<RevokedGrant>,
}

/// A grant that was revoked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RevokedGrant {
    pub id: GrantId,
    pub kind: CoverageKind,
    /// What it covered, in words.
    pub covers: String,
    /// The workflow of a class grant or of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<Workflow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub session: SessionName,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;
    use countersign_core::model::names::SessionKey;
    use serde_json::json;

    #[test]
    fn an_owner_is_written_as_people_name_it() {
        let session = Owner::Session(SessionKey::parse("coder s1").unwrap());
        let owner = serde_json::to_value(GrantOwner::from(&session)).unwrap();
        assert_eq!(owner, json!({"session": "coder/s1"}));
        let project = Owner::Project(Project::parse("/w").unwrap());
        let owner = serde_json::to_value(GrantOwner::from(&project)).unwrap();
        assert_eq!(owner, json!({"project": "/w"}));
    }
}
