//! The wire types of both HTTP planes, in both directions, and the paths they travel on.
//!
//! Server and clients share these types, so neither can send what the other does not read.
//! Requests refuse unknown fields, and every text and list has a bound that the OpenAPI document
//! shows as well. Serde and schema only: no HTTP, no engine, no decisions.

mod agents;
mod ahead;
mod answers;
mod applications;
mod bounds;
mod calls;
mod cards;
mod consent;
mod conversation;
mod dashboard;
mod decisions;
mod errors;
mod events;
mod give_grant;
mod grants;
mod ids;
mod json;
mod notices;
mod numbers;
pub mod paths;
mod programs;
mod proposals;
mod records;
mod reported_effect;
mod reviews;
mod runs;
mod sessions;
mod status;
mod suggestions;
mod surface_reports;
mod workflows;

pub use agents::{
    AddAgentRequest, AddAgentResponse, AgentView, AgentsResponse, RenewTokenResponse,
    RevokeAgentResponse,
};
pub use ahead::{
    AheadStatus, AskAheadRequest, AskAheadResponse, AskedScope, GrantedScope, WithdrawnResponse,
};
pub use answers::{AnswerRequest, AnswerResponse, AnswerState, AnsweredItem, ShownDigest};
pub use applications::{
    ApplicationGestureRequest, ApplicationRequest, ApplicationView, CallContext,
    CloseApplicationGestureRequest, ReducerView, StoredCallResponse,
};
pub use bounds::{BoundedList, OutOfBounds, Text, Timestamp};
pub use calls::{
    CheckRequest, Observation, OutcomeRequest, ParkPolicy, Targets, ToolDefinition, WaitRequest,
};
pub use cards::{
    CardView, RequestTextQuery, RequestTextResponse, RequestView, RequestsQuery, RequestsResponse,
};
pub use consent::{
    ConsentNeed, ConsentResponse, OwnGrantView, OwnOperationView, OwnRequestView, RequestKind,
    RunConsentView,
};
pub use conversation::{
    HandOverRequest, HandOverResponse, MoveKind, MoveRequest, MoveResponse, PlanRequest,
    PlanResponse, SayRequest, TurnRequest, TurnResponse,
};
pub use dashboard::{
    BrowserSessionView, BrowserSessionsResponse, ConfirmLoginRequest, ConfirmLoginResponse,
    EndBrowserSessionRequest, EndBrowserSessionResponse, OpenDashboardResponse,
};
pub use decisions::{
    CheckResponse, CheckStatus, OperationResponse, OperationState, ReportResponse,
};
pub use errors::{ErrorBody, ErrorDetail};
pub use events::{EventsQuery, LedgerEvent};
pub use give_grant::{GrantRequest, GrantResponse, GrantableScope};
pub use grants::{
    GrantFilter, GrantOwner, GrantUseView, GrantView, GrantsQuery, GrantsResponse,
    KeepGrantResponse, OwnerFilter, RevokeRequest, RevokeResponse, RevokedGrant,
};
pub use ids::{IdBeginning, IdKind, IdsQuery, IdsResponse};
pub use notices::{AcknowledgeResponse, NoticeView, NoticesResponse};
pub use numbers::{BoundedInt, Fraction, LedgerPosition, LineNumber, Millis, PageSize, Seconds};
pub use programs::{
    Answerable, BootMillis, EventOrigin, ProcessStamp, ProgramAncestry, ProgramCall,
    ProgramDeclineRequest, ProgramOutcomeRequest, ProgramProcesses, PromptUse, QuestionView,
    Sighting, SurfaceReach, TurnAuthor,
};
pub use proposals::{
    ProposalActionResponse, ProposalDiff, ProposalRequest, ProposalResponse, ProposalStatus,
    ProposalView, ProposalsQuery, ProposalsResponse,
};
pub use records::{
    RecordRequest, RecordView, RecordedResponse, RecordedState, RecordsQuery, RecordsResponse,
};
pub use reported_effect::ReportedEffect;
pub use reviews::{
    DueReviewsResponse, GrantReviewView, ReviewResponse, ReviewState, RuleReviewView,
};
pub use runs::{
    OwnRunView, RunAction, RunAttendance, RunEndView, RunGrantView, RunResponse, RunStatus,
    RunView, StartRunRequest, StartRunResponse, StartStatus,
};
pub use sessions::{
    EndSessionReason, EndSessionRequest, EndSessionResponse, SessionView, SessionsResponse,
    SubAgentRequest, SubAgentResponse,
};
pub use status::{
    ApplicationStatus, GraphFileView, PauseRequest, PauseResponse, PresenceRequest,
    PresenceResponse, ProblemView, ResumeRequest, ResumeResponse, StatusResponse,
};
pub use suggestions::{
    ApplySuggestionRequest, SuggestedScope, SuggestionsQuery, SuggestionsResponse,
};
pub use surface_reports::{
    CloseGestureRequest, CloseGestureResponse, DeliveryRequest, GestureRequest, GestureResponse,
};
pub use workflows::{
    ReconcileResponse, StartPolicy, SweepRefusal, WorkflowView, WorkflowsResponse,
};

use countersign_core::model::names::SessionName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An empty object: the path says everything.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyRequest {}

/// The session that the operation, run or proposal in the path belongs to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    pub session: SessionName,
}

/// The session that the operation or proposal in the path belongs to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionQuery {
    pub session: SessionName,
}
