//! The result of a check.

use crate::Permit;
use countersign_core::model::decision::Decision;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionKey;
use countersign_core::model::narrowed::NarrowedCall;
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
        /// The form in which it runs, if that is less than what was sent.
        narrowed: Option<Box<NarrowedCall>>,
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
        /// The form in which it will run after a yes.
        narrowed: Option<Box<NarrowedCall>>,
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

    /// The form in which the call runs, if that is less than what was sent.
    pub fn narrowed(&self) -> Option<&NarrowedCall> {
        match self {
            Self::Allowed { narrowed, .. } | Self::Pending { narrowed, .. } => narrowed.as_deref(),
            Self::AlreadyDone { .. } | Self::Denied { .. } => None,
        }
    }

    /// With the narrowed form that was found with the rules.
    pub(crate) fn with_narrowed(mut self, found: Option<&NarrowedCall>) -> Self {
        if let Self::Allowed { narrowed, .. } | Self::Pending { narrowed, .. } = &mut self {
            *narrowed = found.cloned().map(Box::new);
        }
        self
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
                let permit = Permit::new(call, session.clone());
                Self::Allowed { permit, decision, announced, narrowed: None }
            }
            Outcome::Ask => Self::Pending { call, decision, announced, narrowed: None },
            Outcome::Deny => Self::Denied { call: Some(call), decision },
        }
    }
}
