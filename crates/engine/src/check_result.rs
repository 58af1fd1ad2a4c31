//! The result of a check.

use crate::Permit;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::words::{Outcome, Reason};

/// What was decided about a call. The decision is recorded.
#[derive(Debug)]
pub enum CheckResult {
    /// It may be executed now.
    Allowed {
        permit: Permit,
        decision: Decision,
        /// The consent that it uses, one line each.
        announced: Vec<String>,
    },
    /// It was executed before; its result stands.
    AlreadyDone {
        call: CallId,
        decision: Decision,
    },
    /// An operator is asked. The call is kept under this id.
    Pending {
        call: CallId,
        decision: Decision,
        /// Why consent is asked for, where the conversation gives the reason.
        announced: Vec<String>,
    },
    Denied {
        call: Option<CallId>,
        decision: Decision,
    },
}

impl CheckResult {
    pub fn decision(&self) -> &Decision {
        match self {
            Self::Allowed { decision, .. }
            | Self::AlreadyDone { decision, .. }
            | Self::Pending { decision, .. }
            | Self::Denied { decision, .. } => decision,
        }
    }

    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::Allowed { permit, .. } => Some(permit.call()),
            Self::AlreadyDone { call, .. } | Self::Pending { call, .. } => Some(*call),
            Self::Denied { call, .. } => *call,
        }
    }

    /// The lines for the conversation: which consent is used, or why it is asked for.
    pub fn announced(&self) -> &[String] {
        match self {
            Self::Allowed { announced, .. } | Self::Pending { announced, .. } => announced,
            Self::AlreadyDone { .. } | Self::Denied { .. } => &[],
        }
    }

    pub(crate) fn new(
        call: CallId,
        session: &SessionKey,
        decision: Decision,
        announced: Vec<String>,
    ) -> Self {
        match decision.outcome {
            Outcome::Allow if decision.reason == Reason::AlreadyDone => {
                Self::AlreadyDone { call, decision }
            }
            Outcome::Allow | Outcome::Notify => {
                Self::Allowed { permit: Permit::new(call, session.clone()), decision, announced }
            }
            Outcome::Ask => Self::Pending { call, decision, announced },
            Outcome::Deny => Self::Denied { call: Some(call), decision },
        }
    }
}
