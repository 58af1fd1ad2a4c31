//! Requests that wait for an answer, as an operator sees them.

use crate::{LineNumber, PageSize};
use countersign_card::{Card, render_lines};
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::RequestState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A card, and the same card as lines for surfaces that do not lay it out themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardView {
    #[serde(flatten)]
    pub card: Card,
    pub lines: Vec<String>,
}

impl From<Card> for CardView {
    fn from(card: Card) -> Self {
        let lines = render_lines(&card);
        Self { card, lines }
    }
}

/// Which page of the open requests.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestsQuery {
    /// `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<RequestId>,
    #[serde(default)]
    pub limit: PageSize,
}

/// A page of the open requests, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestsResponse {
    pub requests: Vec<CardView>,
    /// What to send as `after` for the next page.
    pub next: Option<RequestId>,
}

/// One request, open or closed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestView {
    pub card: CardView,
    pub state: RequestState,
}

/// Which page of a request's whole text.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestTextQuery {
    /// The first line, counted from 0: `next` of the page before.
    #[serde(default)]
    pub from: LineNumber,
}

/// A page of a request's whole text: everything that the agent sent, escaped, nothing left out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestTextResponse {
    pub lines: Vec<String>,
    /// The number of all lines.
    pub total: usize,
    /// What to send as `from` for the next page.
    pub next: Option<LineNumber>,
}
