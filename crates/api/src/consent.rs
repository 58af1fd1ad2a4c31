//! What an agent lists of its own: consent in force, open requests, unfinished calls.

use crate::{GrantedScope, OperationState, Timestamp};
use countersign_card::describe_grant;
use countersign_conversation::OperationConsent;
use countersign_core::model::grant::{Grant, Source};
use countersign_core::model::ids::{CallId, GrantId, RequestId, RunId};
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::run::Run;
use countersign_core::model::words::Risk;
use countersign_core::state::{CallRecord, State};
use countersign_core::word_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What holds for an agent in one session, and what it waits for.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsentResponse {
    /// The grants in force. The newest comes first.
    pub grants: Vec<OwnGrantView>,
    /// The open requests. The oldest comes first.
    pub requests: Vec<OwnRequestView>,
    /// The calls that wait, are approved or run. The oldest comes first.
    pub operations: Vec<OwnOperationView>,
    /// The live runs, with what was consented to in each.
    #[serde(default)]
    pub runs: Vec<RunConsentView>,
    /// True if there is more of one of them than a reply lists.
    pub truncated: bool,
    /// The consent in force, as the answer to `What have I consented to?` lists it.
    #[serde(default)]
    pub lines: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnGrantView {
    pub grant_id: GrantId,
    /// What it covers, in words.
    pub covers: String,
    pub scope: GrantedScope,
    pub source: Source,
    /// It covers nothing above this risk.
    pub max_risk: Risk,
    pub granted_at: Timestamp,
    /// The operator's turn in which it was given; 0 if that was before the first.
    #[serde(default)]
    pub granted_turn: u32,
    /// How often it was used.
    #[serde(default)]
    pub uses: u32,
    pub ends_at: Option<Timestamp>,
    pub run_id: Option<RunId>,
    pub request_id: Option<RequestId>,
}

impl From<&Grant> for OwnGrantView {
    fn from(grant: &Grant) -> Self {
        Self {
            grant_id: grant.id,
            covers: describe_grant(grant, &State::empty()).to_string(),
            scope: grant.scope.into(),
            source: grant.source,
            max_risk: grant.shown,
            granted_at: Timestamp(grant.granted_at),
            granted_turn: grant.granted_turn,
            uses: grant.uses,
            ends_at: grant.ends_at.map(Timestamp),
            run_id: grant.run,
            request_id: grant.request,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnRequestView {
    pub request_id: RequestId,
    pub kind: RequestKind,
    pub risk: Risk,
    /// The calls that wait for the answer.
    pub operations: Vec<CallId>,
    /// The run that a yes starts.
    pub run_id: Option<RunId>,
    pub opened_at: Timestamp,
    pub ends_at: Timestamp,
}

word_enum! {
    /// What a request is about.
    #[derive(JsonSchema)]
    pub enum RequestKind {
        Call = "call",
        Ahead = "ahead",
        Start = "start",
        Standing = "standing",
        Slash = "slash",
        Proposal = "proposal",
        Import = "import",
    }
}

impl From<&Request> for OwnRequestView {
    fn from(request: &Request) -> Self {
        let (kind, operations, run_id) = match &request.subject {
            Subject::Calls(calls) => (RequestKind::Call, calls.clone(), None),
            Subject::Ahead(_) => (RequestKind::Ahead, Vec::new(), None),
            Subject::Start(start) => (RequestKind::Start, Vec::new(), Some(start.run)),
            Subject::Standing(_) => (RequestKind::Standing, Vec::new(), None),
            Subject::Slash(_) => (RequestKind::Slash, Vec::new(), None),
            Subject::Proposal(_) => (RequestKind::Proposal, Vec::new(), None),
            Subject::Imported(_) => (RequestKind::Import, Vec::new(), None),
        };
        Self {
            request_id: request.id,
            kind,
            risk: request.items.iter().map(|item| item.risk).max().unwrap_or(Risk::High),
            operations,
            run_id,
            opened_at: Timestamp(request.opened_at),
            ends_at: Timestamp(request.ends_at),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnOperationView {
    pub operation_id: CallId,
    pub actions: Vec<Action>,
    pub state: OperationState,
    pub run_id: Option<RunId>,
    pub risk: Risk,
    pub consent: ConsentNeed,
    /// The grant that it rests on, or that its answer gave.
    pub grant_id: Option<GrantId>,
    pub source: Option<Source>,
    /// The operator's turn in which that was given.
    pub granted_turn: Option<u32>,
    /// How long that lasts.
    pub scope: Option<GrantedScope>,
}

impl OwnOperationView {
    pub fn new(record: &CallRecord, grant: Option<&Grant>) -> Self {
        Self {
            operation_id: record.call.id,
            actions: record.call.actions.clone(),
            state: record.state.into(),
            run_id: record.call.run,
            risk: record.card_risk,
            consent: OperationConsent::of_call(record).into(),
            grant_id: grant.map(|grant| grant.id),
            source: grant.map(|grant| grant.source),
            granted_turn: grant.map(|grant| grant.granted_turn),
            scope: grant.map(|grant| grant.scope.into()),
        }
    }
}

word_enum! {
    /// What an operation needs of the operator.
    #[derive(JsonSchema)]
    pub enum ConsentNeed {
        Granted = "granted",
        Required = "required",
        /// A rule lets it pass.
        NotApplicable = "not_applicable",
    }
}

impl From<OperationConsent> for ConsentNeed {
    fn from(consent: OperationConsent) -> Self {
        match consent {
            OperationConsent::Granted => Self::Granted,
            OperationConsent::Required => Self::Required,
            OperationConsent::NotApplicable => Self::NotApplicable,
        }
    }
}

/// A live run and its plan.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunConsentView {
    pub run_id: RunId,
    /// What the operator asked for, or else the workflow's name.
    pub name: String,
    /// The turn in which the agent last proposed a plan in it.
    pub last_plan_turn: Option<u32>,
    /// How many calls asked because they were not in the accepted plan.
    pub deviations: u32,
}

impl From<&Run> for RunConsentView {
    fn from(run: &Run) -> Self {
        Self {
            run_id: run.id,
            name: run.name().to_owned(),
            last_plan_turn: run.last_plan_turn,
            deviations: run.deviations,
        }
    }
}
