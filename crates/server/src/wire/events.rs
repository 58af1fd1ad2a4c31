//! What an event says.

use super::{CardView, LedgerPosition, NoticeView, Timestamp};
use countersign_core::model::change::Kind;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Ending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the stream begins.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// The first entry that is wanted; without it only what comes from now on.
    #[serde(default)]
    pub from: Option<LedgerPosition>,
    /// Who looks: what it says about presence counts while it does. A name that no other has.
    #[serde(default)]
    pub surface: Option<SurfaceName>,
}

/// The `data` of one event. Its `id` is its place in the ledger, its `event` the kind of entry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LedgerEvent {
    pub kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Of a question, as it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Box<CardView>>,
    /// Of a notice or an alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<NoticeView>,
    /// Which question was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// How it ended; none while some of it is still open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Where it was answered, if that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

impl LedgerEvent {
    pub fn of(kind: Kind, at: Option<Timestamp>) -> Self {
        Self { kind, at, card: None, notice: None, request: None, ending: None, surface: None }
    }
}
