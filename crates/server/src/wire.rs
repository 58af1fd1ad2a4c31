//! What agents and operators send and are answered, in the words of the API. Unknown fields are
//! refused, and every text and list has its bound, here and in the documents that describe it.

mod bounds;
mod calls;
mod cards;
mod conversation;
mod decided;
mod events;
mod faults;
mod giving;
mod granted;
mod ids;
mod json;
mod operator;
mod proposals;
mod records;
mod runs;
mod surfaces;
mod workflows;

pub use bounds::{BoundedInt, BoundedList, Fraction, LedgerPosition, Millis, Text, Timestamp};
pub use calls::{
    AskAheadRequest, CheckRequest, Observation, OutcomeRequest, ParkPolicy, ReportedEffect,
    ToolDefinition, WaitRequest,
};
pub use cards::{
    CardView, NoticeView, NoticesResponse, RequestView, RequestsQuery, RequestsResponse,
};
pub use conversation::{
    HandOverRequest, HandOverResponse, MoveKind, MoveRequest, PlanRequest, RecordedResponse,
    SayRequest, TurnRequest, TurnResponse,
};
pub use decided::{
    AskAheadResponse, CheckResponse, OperationResponse, OperationState, ReportResponse, ReportState,
};
pub use events::{EventsQuery, LedgerEvent};
pub use faults::{ErrorBody, ErrorDetail};
pub use giving::{GrantRequest, GrantResponse, GrantableScope};
pub use granted::{
    GrantFilter, GrantView, GrantsQuery, GrantsResponse, KeepGrantResponse, OwnerFilter, PageSize,
    RevokeRequest, RevokeResponse,
};
pub use ids::{IdKind, IdsQuery, IdsResponse};
use json::Json;
pub use operator::{
    AcknowledgeResponse, AnswerRequest, AnswerResponse, AnswerState, AnsweredItem, PauseRequest,
    PauseResponse, PresenceRequest, PresenceResponse, ResumeResponse, ReviewResponse, ReviewState,
    StatusResponse,
};
pub use proposals::{
    ProposalActionResponse, ProposalRequest, ProposalResponse, ProposalStatus, ProposalView,
    ProposalsQuery, ProposalsResponse,
};
pub use records::{RecordRequest, RecordsQuery, RecordsResponse};
pub use runs::{OwnRunStatus, RunAttendance, RunResponse, StartRunRequest, StartRunResponse};

pub use surfaces::{
    DeliveryRequest, DueReviewsResponse, GestureRequest, GestureResponse, GrantReviewView,
    RuleReviewView,
};
pub use workflows::{ReconcileResponse, RunView, WorkflowsResponse};

use countersign_core::model::names::SessionName;
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is said beside what the address says.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyRequest {}

/// Something that belongs to a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    pub session: SessionName,
}
