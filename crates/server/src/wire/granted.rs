//! What is sent and answered about grants.

use super::Timestamp;
use countersign_core::model::grant::{Coverage, Grant, GrantState, Owner, Scope, Source};
use countersign_core::model::ids::{CallId, GrantId, RequestId, RunId};
use countersign_core::model::names::{Action, Agent, Project, SessionName, Workflow};
use countersign_core::model::request::Subject;
use countersign_core::model::time::{Span, Time};
use countersign_core::model::words::Risk;
use countersign_core::state::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// Which grants are listed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantsQuery {
    #[serde(default)]
    pub state: GrantFilter,
    /// Given in this session.
    #[serde(default)]
    pub session: Option<SessionName>,
    /// Owned by this project.
    #[serde(default)]
    pub project: Option<Project>,
    /// Whose: of anybody, or only those that projects own.
    #[serde(default)]
    pub owner: OwnerFilter,
    /// Given before this one: `next` of the page before.
    #[serde(default)]
    pub before: Option<GrantId>,
    /// So many at most.
    #[serde(default)]
    pub limit: PageSize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantFilter {
    /// What is live, in use or given back.
    #[default]
    InForce,
    /// What was given for one call and has served it.
    Used,
    /// Whatever has become of it.
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerFilter {
    #[default]
    Anybody,
    Projects,
}

/// How many come at once: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(usize);

impl PageSize {
    const MOST: usize = 500;

    pub const fn number(self) -> usize {
        self.0
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self(100)
    }
}

impl<'de> Deserialize<'de> for PageSize {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let number = usize::deserialize(reader)?;
        match (1..=Self::MOST).contains(&number) {
            true => Ok(Self(number)),
            false => Err(D::Error::custom(format!("not a number from 1 to {}", Self::MOST))),
        }
    }
}

impl JsonSchema for PageSize {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PageSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": Self::MOST})
    }
}

/// A page of what was granted, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantsResponse {
    pub grants: Vec<GrantView>,
    /// Where the next page begins. A page can hold fewer than asked for, and still have a next.
    pub next: Option<GrantId>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantView {
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
    pub granted_at: Timestamp,
    /// A project grant has a review date instead.
    pub ends_at: Option<Timestamp>,
    pub reviewed_at: Timestamp,
    /// Of a project's grant: from then on it carries nothing until it is reviewed.
    pub review_at: Option<Timestamp>,
    pub run: Option<RunId>,
    pub request: Option<RequestId>,
    /// What the agent said it was for, as far as it was asked for; nobody has verified it.
    pub reason: Option<String>,
    pub uses: u32,
    /// The last use.
    pub used: Option<GrantUseView>,
    pub state: GrantState,
    /// Whether it could carry a call now.
    pub in_force: bool,
}

/// One use of a grant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantUseView {
    pub by: CallId,
    pub at: Timestamp,
    /// What was done with it.
    pub actions: Vec<Action>,
}

impl GrantView {
    /// With what is known around it, and how many days there are between two reviews.
    pub fn of(grant: &Grant, known: &State, (now, days): (Time, i64)) -> Self {
        let of_project = matches!(grant.owner, Owner::Project(_));
        let due = grant.reviewed_at + Span::days(days);
        let lapsed = of_project && due <= now;
        let actions = |by| known.calls.get(&by).map(|record| record.decided.clone());
        Self {
            id: grant.id,
            agent: grant.agent.clone(),
            owner: grant.owner.clone(),
            made_in: grant.made_in.clone(),
            coverage: grant.coverage.clone(),
            covers: grant.coverage.to_string(),
            scope: grant.scope,
            source: grant.source,
            shown: grant.shown,
            granted_at: Timestamp(grant.granted_at),
            ends_at: grant.ends_at.map(Timestamp),
            reviewed_at: Timestamp(grant.reviewed_at),
            review_at: of_project.then_some(Timestamp(due)),
            run: grant.run,
            request: grant.request,
            reason: reason(grant, known),
            uses: grant.uses,
            used: grant.used.map(|used| GrantUseView {
                by: used.by,
                at: Timestamp(used.at),
                actions: actions(used.by).unwrap_or_default(),
            }),
            state: grant.state.clone(),
            in_force: grant.in_force(now) && !lapsed,
        }
    }
}

/// What the agent claimed when it asked.
fn reason(grant: &Grant, known: &State) -> Option<String> {
    let said = match &known.requests.get(&grant.request?)?.subject {
        Subject::Calls(calls) => {
            let call = calls.first().and_then(|call| known.calls.get(call))?;
            call.call.claims.reason.clone()
        }
        Subject::Ahead(ahead) => ahead.reason.clone(),
        Subject::Start(_)
        | Subject::Standing(_)
        | Subject::Slash(_)
        | Subject::Proposal(_)
        | Subject::Imported(_) => return None,
    };
    Some(said).filter(|said| !said.is_empty())
}

/// A project's grant was looked at and kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeepGrantResponse {
    pub kept: GrantId,
}

/// What to take back: one of these.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    {"required": ["grant"], "properties": {"grant": {"type": "string"}, "workflow": {"type": "null"}}},
    {"required": ["workflow"], "properties": {"workflow": {"type": "string"}, "grant": {"type": "null"}}},
    {"required": ["session"], "properties": {"session": {"type": "string"}, "grant": {"type": "null"}}},
    {"required": ["all"], "properties": {"all": {"const": true}, "grant": {"type": "null"}}},
]))]
pub struct RevokeRequest {
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
pub struct RevokeResponse {
    pub revoked: Vec<GrantId>,
}
