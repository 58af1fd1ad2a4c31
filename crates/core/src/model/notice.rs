//! Notices: messages to the operator that need no answer.
//!
//! A call that was allowed as visible raises a notice. A blocked call, a call that reaches for our
//! own files, a call over the wrong channel, a graph that changed or could not be read and a lowered
//! assurance level raise alerts. A review that is due within days raises a notice, and on the day an
//! alert. A notice stays open until a surface acknowledges it or its cause ends. Repeats increase its
//! count.

use crate::encoding::digest::Digest;
use crate::model::ids::{CallId, NoticeId};
use crate::model::names::{Action, Agent, SessionKey, SurfaceName};
use crate::model::time::Time;
use crate::model::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// Why the operator is notified.
    Cause {
        /// A call was allowed with the outcome `notify`.
        Visible = "visible",
        Blocked = "blocked",
        ChannelRequired = "channel_required",
        SelfProtection = "self_protection",
        /// A changed graph could not be loaded; the last good one stays in force.
        GraphRefused = "graph_refused",
        /// A changed graph is in force.
        GraphChanged = "graph_changed",
        /// The rules of a repository are not in force, or nobody can read them.
        LayerRefused = "layer_refused",
        /// Another user can now change something that decides.
        AssuranceLowered = "assurance_lowered",
        /// A review of the graph or of project grants is due within days.
        ReviewSoon = "review_soon",
        /// A review is due: what it covers asks, or carries nothing.
        ReviewDue = "review_due",
    }
}

words! {
    /// How soon the operator should look.
    Urgency {
        Notice = "notice",
        Alert = "alert",
    }
}

impl Cause {
    pub const fn urgency(self) -> Urgency {
        match self {
            Self::Visible | Self::ReviewSoon => Urgency::Notice,
            Self::Blocked
            | Self::ChannelRequired
            | Self::SelfProtection
            | Self::GraphRefused
            | Self::GraphChanged
            | Self::LayerRefused
            | Self::AssuranceLowered
            | Self::ReviewDue => Urgency::Alert,
        }
    }

    pub const fn is_review(self) -> bool {
        matches!(self, Self::ReviewSoon | Self::ReviewDue)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub id: NoticeId,
    pub cause: Cause,
    /// None for a notice about the graph.
    pub agent: Option<Agent>,
    /// The session of the latest occurrence.
    pub session: Option<SessionKey>,
    /// None for the collective notice.
    pub action: Option<Action>,
    /// Set for a call that was allowed, and for reviews: each such digest has a notice of its own.
    pub digest: Option<Digest>,
    /// The latest call that it is about.
    pub call: Option<CallId>,
    /// The explanation of the latest decision.
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
    Acknowledged {
        surface: SurfaceName,
        at: Time,
    },
    /// Its cause has ended.
    Ended {
        at: Time,
    },
}

impl Notice {
    pub fn is_open(&self) -> bool {
        self.state == NoticeState::Open
    }

    /// Whether it still matters: it is open, or it was acknowledged and must not be raised again while
    /// its cause goes on.
    pub fn is_remembered(&self) -> bool {
        match self.state {
            NoticeState::Open => true,
            NoticeState::Acknowledged { .. } => self.cause.is_review(),
            NoticeState::Ended { .. } => false,
        }
    }

    /// Whether both have the same cause, agent, action and digest.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.cause, &self.agent, &self.action, self.digest)
            == (other.cause, &other.agent, &other.action, other.digest)
    }

    /// The collective notice, which counts what one agent causes beyond the limit of open notices.
    pub(crate) fn to_collective(&self) -> Self {
        Self { action: None, digest: None, ..self.clone() }
    }

    /// Counts another occurrence.
    pub(crate) fn count_repeat(&mut self, later: &Self) {
        self.count = self.count.saturating_add(1);
        self.last_at = later.last_at;
        self.session.clone_from(&later.session);
        self.call = later.call;
        self.text.clone_from(&later.text);
    }
}
