//! A decision: its outcome, its reason, and what would have changed it.
//!
//! It holds everything that an explanation needs: `explain` only turns these values into sentences.

use crate::encoding::digest::Digest;
use crate::model::call::Part;
use crate::model::ids::{CallId, GestureId, GrantId};
use crate::model::names::Action;
use crate::model::place::Place;
use crate::model::time::Time;
use crate::model::words::{Outcome, Reason, Risk, Tier};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    pub outcome: Outcome,
    /// The one deciding reason.
    pub reason: Reason,
    pub basis: Basis,
    pub nearest: NearestChange,
    /// One verdict per action, in the call's order.
    pub verdicts: Vec<Verdict>,
    /// The operator's note on an earlier decline, what is wrong with a malformed call, or how many
    /// questions are open.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What was decided about one action of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The action as it was decided. For a send to an unknown contact it differs from the one that
    /// the call names.
    pub action: Action,
    pub part: Part,
    pub outcome: Outcome,
    pub reason: Reason,
    pub risk: Risk,
    /// The tier by list or policy; none if the action is unclassified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    pub basis: Basis,
    pub nearest: NearestChange,
    /// The caller of the reducer that lowered the risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced_by: Option<String>,
    /// The event and the destination that this call fixes for it, if the call is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<EventDestination>,
    /// The places of its paths that raised the risk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
}

/// The one destination of an event within a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDestination {
    pub domain: String,
    pub event: Digest,
    pub target: String,
}

/// The rule, grant or observation that a reason rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The call itself, its session or agent.
    Call,
    /// The graph's rule for the action.
    Rule,
    /// The rule that the repository's own rules give for the action.
    Layer,
    /// Policies on arguments, by name.
    Policies(Vec<String>),
    /// Why the policies could not be evaluated, and so permitted nothing.
    NotEvaluated(String),
    /// Command rules, or what is wrong with the command line.
    Commands(Vec<String>),
    /// What the command line would destroy.
    Dangers(Vec<String>),
    /// The file of ours that a target leads to, or why nobody knows where it leads.
    Target(String),
    /// The files that decide what the line executes and that have changed.
    RunFiles(Vec<String>),
    /// The graph does not list the action.
    NoRule,
    /// Grants that carry the call, the chosen one first.
    Grants(Vec<GrantId>),
    Gesture(GestureId),
    Parent(CallId),
    /// The caller that a reducer names, found on the stack of running calls.
    Reducer(String),
    /// An earlier decline.
    Decline,
    /// The record of a parked call.
    Record,
    Surface,
}

/// What the operator gave that a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentBasis<'b> {
    Grants(&'b [GrantId]),
    Gesture(GestureId),
    /// The approved call around this one.
    Parent(CallId),
}

impl Basis {
    /// The operator's consent, as opposed to a rule or an observation.
    pub fn consent(&self) -> Option<ConsentBasis<'_>> {
        match self {
            Self::Grants(ids) => Some(ConsentBasis::Grants(ids)),
            Self::Gesture(id) => Some(ConsentBasis::Gesture(*id)),
            Self::Parent(id) => Some(ConsentBasis::Parent(*id)),
            Self::Call
            | Self::Rule
            | Self::Layer
            | Self::Policies(_)
            | Self::NotEvaluated(_)
            | Self::Commands(_)
            | Self::Target(_)
            | Self::NoRule
            | Self::Reducer(_)
            | Self::Decline
            | Self::Record
            | Self::Dangers(_)
            | Self::RunFiles(_)
            | Self::Surface => None,
        }
    }
}

/// The smallest thing that would have changed the outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NearestChange {
    /// An answer to this request.
    Answer,
    /// Another tier for the action in the graph.
    Tier,
    /// Another command, or another command rule.
    Command,
    /// Listing the action in the graph.
    Classify,
    Review,
    TrustedChannel,
    Proposal,
    Resume,
    /// The operator's word to go on in a stopped session.
    GoOn,
    /// A new call, because the session of this one has ended.
    NewCall,
    WellFormed,
    /// The same call after this instant.
    After(Time),
    /// An operator within reach.
    Operator,
    /// Confidence of at least this much.
    Confidence(f64),
    /// Without these grants it would have asked.
    WithoutGrants,
    /// After the end of the gesture, parent or reducer it would have asked.
    Later,
    /// Above this risk it would have asked.
    RiskAbove(Risk),
    /// With somebody active it would have asked.
    Presence,
    /// The end of the running call.
    Finish,
    /// Fewer open questions.
    Room,
}

impl Decision {
    /// A decision about the whole call, made before its actions are judged.
    pub fn for_whole_call(
        outcome: Outcome,
        reason: Reason,
        basis: Basis,
        nearest: NearestChange,
    ) -> Self {
        Self { outcome, reason, basis, nearest, verdicts: Vec::new(), note: String::new() }
    }

    pub fn malformed(what: String) -> Self {
        let mut decision = Self::for_whole_call(
            Outcome::Deny,
            Reason::Malformed,
            Basis::Call,
            NearestChange::WellFormed,
        );
        decision.note = what;
        decision
    }

    /// The decision of the strictest verdict; of equally strict ones, the first.
    pub fn strictest(verdicts: Vec<Verdict>) -> Self {
        let mut deciding: Option<&Verdict> = None;
        for verdict in &verdicts {
            if deciding.is_none_or(|so_far| verdict.outcome > so_far.outcome) {
                deciding = Some(verdict);
            }
        }
        match deciding {
            // A call without actions is never allowed.
            None => Self::malformed("the call names no action".into()),
            Some(one) => Self {
                outcome: one.outcome,
                reason: one.reason,
                basis: one.basis.clone(),
                nearest: one.nearest.clone(),
                note: String::new(),
                verdicts,
            },
        }
    }

    /// Denies the whole call for this reason and keeps the verdicts.
    pub fn denied(mut self, reason: Reason, basis: Basis, nearest: NearestChange) -> Self {
        (self.outcome, self.reason, self.basis, self.nearest) =
            (Outcome::Deny, reason, basis, nearest);
        self
    }

    pub fn goes_ahead(&self) -> bool {
        self.outcome <= Outcome::Notify
    }

    /// Grants that the decision rests on, the chosen one first.
    pub fn grants(&self) -> impl Iterator<Item = GrantId> {
        self.verdicts
            .iter()
            .flat_map(|verdict| match verdict.basis.consent() {
                Some(ConsentBasis::Grants(ids)) => ids,
                Some(ConsentBasis::Gesture(_) | ConsentBasis::Parent(_)) | None => &[],
            })
            .copied()
    }
}
