//! The event stream.

use crate::{CardView, LedgerPosition, NoticeView, Timestamp};
use countersign_core::model::change::Kind;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Ending;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the stream begins.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// The first entry to send. Without it, the stream begins with the next entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LedgerPosition>,
    /// The surface that reads the stream. While it does, its reports of presence count. The name
    /// must be its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

/// The `data` of one event. Its `id` is the position in the ledger, its `event` the kind of entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerEvent {
    pub kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// For a request: the card as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Box<CardView>>,
    /// For a notice or an alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<NoticeView>,
    /// The request that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// How the request ended. None while a part of it is still open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The session that `announcements` are about, as `AGENT/NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Lines about consent that was used, asked for or cleared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announcements: Vec<String>,
    /// The surface of the answer, if it was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

impl LedgerEvent {
    pub fn new(kind: Kind, at: Option<Timestamp>) -> Self {
        Self {
            kind,
            at,
            card: None,
            notice: None,
            request: None,
            ending: None,
            session: None,
            announcements: Vec::new(),
            surface: None,
        }
    }
}
