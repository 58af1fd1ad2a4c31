//! Notices: what an operator is told without being asked.
//!
//! A call that went ahead as visible gives a notice; what was blocked, what would have touched our
//! own files, what came by the wrong channel and a graph that could not be read give alerts. They
//! are kept until a surface has acknowledged them. What repeats is counted, not listed again.

use crate::encoding::digest::Digest;
use crate::model::decision::Decision;
use crate::model::ids::{CallId, NoticeId};
use crate::model::names::{Action, Agent, SessionName, SurfaceName};
use crate::model::time::Time;
use crate::model::words::{Outcome, Reason, words};
use serde::{Deserialize, Serialize};

words! {
    /// Why an operator is told.
    Cause {
        /// A call went ahead that the operator would want to know of.
        Visible = "visible",
        Blocked = "blocked",
        ChannelRequired = "channel_required",
        SelfProtection = "self_protection",
        /// A changed graph could not be read; the last good one stays in force.
        GraphRefused = "graph_refused",
    }
}

words! {
    /// How soon somebody should look.
    Urgency {
        Notice = "notice",
        Alert = "alert",
    }
}

impl Cause {
    pub const fn urgency(self) -> Urgency {
        match self {
            Self::Visible => Urgency::Notice,
            Self::Blocked | Self::ChannelRequired | Self::SelfProtection | Self::GraphRefused => {
                Urgency::Alert
            }
        }
    }

    /// Whether a decision is worth a notice, and which.
    pub(crate) fn from_decision(decision: &Decision) -> Option<Self> {
        match (decision.outcome, decision.reason) {
            (Outcome::Notify, _) => Some(Self::Visible),
            (Outcome::Deny, Reason::Blocked) => Some(Self::Blocked),
            (Outcome::Deny, Reason::ChannelRequired) => Some(Self::ChannelRequired),
            (Outcome::Deny, Reason::SelfProtection) => Some(Self::SelfProtection),
            (Outcome::Allow | Outcome::Ask | Outcome::Deny, _) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub id: NoticeId,
    pub cause: Cause,
    /// None where it is about the graph.
    pub agent: Option<Agent>,
    /// Where it happened last.
    pub session: Option<SessionName>,
    /// None where it stands for more than could be listed.
    pub action: Option<Action>,
    /// Of a call that went ahead: each such call is news of its own.
    pub digest: Option<Digest>,
    /// The record of the last call that it is about.
    pub call: Option<CallId>,
    /// What the decision said, the last time.
    pub text: String,
    pub count: u32,
    pub first_at: Time,
    pub last_at: Time,
    pub state: NoticeState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeState {
    Open,
    Acknowledged { surface: SurfaceName, at: Time },
}

impl Notice {
    pub fn is_open(&self) -> bool {
        self.state == NoticeState::Open
    }

    /// Whether the two tell an operator the same.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.cause, &self.agent, &self.action, self.digest)
            == (other.cause, &other.agent, &other.action, other.digest)
    }

    /// The one that stands for all of its kind that an agent causes beyond the bound.
    pub(crate) fn collective(&self) -> Self {
        Self { action: None, digest: None, ..self.clone() }
    }

    /// The same once more.
    pub(crate) fn again(&mut self, later: &Self) {
        self.count = self.count.saturating_add(1);
        self.last_at = later.last_at;
        self.session.clone_from(&later.session);
        self.call = later.call;
        self.text.clone_from(&later.text);
    }
}
