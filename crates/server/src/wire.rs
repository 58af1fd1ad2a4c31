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

pub use bounds::{At, Few, Millis, Place, Share, Text, Whole};
pub use calls::{Again, AskAhead, Check, Definition, Effect, Ended, Observed, Park};
pub use cards::{Drawn, NoticeForm, Notices, RequestForm, Requests, WhichRequests};
pub use conversation::{
    HandOver, HandedOver, InRecord, MovedForm, MovedTo, OwnTurn, PlanForm, SaidForm, TurnForm,
};
pub use decided::{Asked, Decided, Noted, NotedState, OperationState, StateOf};
pub use events::{EventForm, Since};
pub use faults::{Told, Wrong};
pub use giving::{Give, GivenGrant, GivenScope};
pub use granted::{
    GrantForm, Grants, Kept, Listed, OwnedBy, PageSize, Revoke, Revoked, WhichGrants,
};
pub use ids::{FoundIds, IdKind, PartOfId};
use json::Json;
pub use operator::{
    Accepted, AcceptedState, Acknowledged, Answer, GivenForm, Pause, Paused, PresenceForm, Present,
    Resumed, Reviewed, ReviewedState, StatusForm,
};
pub use proposals::{
    Acted, ProposalForm, ProposalWord, Proposals, Propose, ProposedForm, WhichProposals,
};
pub use records::{RecordForm, RecordsForm, RecordsOf};
pub use runs::{Attended, RunState, Running, StartRun, Started};

pub use surfaces::{DeliveryForm, GestureForm, Gestured, GrantDue, ReviewForm, RulesDue};
pub use workflows::{Reconciled, RunForm, Workflows};

use countersign_core::model::names::SessionName;
use schemars::JsonSchema;
use serde::Deserialize;

/// Nothing is said beside what the address says.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Something that belongs to a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InSession {
    pub session: SessionName,
}
