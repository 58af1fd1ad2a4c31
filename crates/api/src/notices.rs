//! Notices: what Countersign tells an operator without a question.

use crate::Timestamp;
use countersign_core::encoding::digest::Digest;
use countersign_core::model::ids::{CallId, NoticeId};
use countersign_core::model::names::{Action, Agent, SessionName};
use countersign_core::model::notice::{Cause, Notice, Urgency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The notices that nobody has acknowledged yet, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NoticesResponse {
    pub notices: Vec<NoticeView>,
}

/// Something that happened, without a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoticeView {
    pub id: NoticeId,
    pub cause: Cause,
    pub urgency: Urgency,
    /// None for a notice about the graph.
    pub agent: Option<Agent>,
    pub session: Option<SessionName>,
    /// None for a notice about more actions than one notice lists.
    pub action: Option<Action>,
    pub digest: Option<Digest>,
    /// The last call that the notice is about.
    pub call: Option<CallId>,
    pub text: String,
    /// How often it happened.
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
            session: notice.session.map(|session| session.to_name()),
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

/// The notice that was acknowledged.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgeResponse {
    pub acknowledged: NoticeId,
}
