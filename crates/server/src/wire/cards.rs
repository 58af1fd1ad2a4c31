//! What an operator is shown: cards and notices.

use super::{PageSize, Timestamp};
use countersign_card::{Card, lines};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::{CallId, NoticeId, RequestId};
use countersign_core::model::names::{Action, Agent, SessionName};
use countersign_core::model::notice::{Cause, Notice, Urgency};
use countersign_core::model::request::RequestState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A card, and the same as lines for surfaces that draw nothing themselves.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CardView {
    #[serde(flatten)]
    pub card: Card,
    pub lines: Vec<String>,
}

impl From<Card> for CardView {
    fn from(card: Card) -> Self {
        let lines = lines(&card);
        Self { card, lines }
    }
}

/// Which requests.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestsQuery {
    /// The last one of the page before.
    #[serde(default)]
    pub after: Option<RequestId>,
    #[serde(default)]
    pub limit: PageSize,
}

/// A page of what waits for an answer, the oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestsResponse {
    pub requests: Vec<CardView>,
    /// What to send as `after` for the next page.
    pub next: Option<RequestId>,
}

/// One request, open or not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RequestView {
    pub card: CardView,
    pub state: RequestState,
}

/// What nobody has acknowledged yet, the oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoticesResponse {
    pub notices: Vec<NoticeView>,
}

/// What an operator is told without being asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NoticeView {
    pub id: NoticeId,
    pub cause: Cause,
    pub urgency: Urgency,
    /// None where it is about the graph.
    pub agent: Option<Agent>,
    pub session: Option<SessionName>,
    /// None where it stands for more than could be listed.
    pub action: Option<Action>,
    pub digest: Option<Digest>,
    /// The last call that it is about.
    pub call: Option<CallId>,
    pub text: String,
    /// How often.
    pub count: u32,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

impl From<&Notice> for NoticeView {
    fn from(notice: &Notice) -> Self {
        let notice = notice.clone();
        Self {
            id: notice.id,
            cause: notice.cause,
            urgency: notice.cause.urgency(),
            agent: notice.agent,
            session: notice.session,
            action: notice.action,
            digest: notice.digest,
            call: notice.call,
            text: notice.text,
            count: notice.count,
            first_at: Timestamp(notice.first_at),
            last_at: Timestamp(notice.last_at),
        }
    }
}
