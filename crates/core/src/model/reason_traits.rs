//! What follows from each reason, in one table. A new reason needs a row before anything compiles.
//!
//! The sentence that explains a reason is not here: it quotes the decision, so `decide/explain.rs`
//! has it.

use crate::model::notice::Cause;
use crate::model::words::Reason;

/// What follows from a reason, besides its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasonTraits {
    pub denial: DenialKind,
    /// The alert that a denial raises.
    pub alert: Option<Cause>,
    pub longest_yes: LongestApproval,
    pub spared_by: SparedBy,
    /// What is unusual about the question, for its card.
    pub news: Option<&'static str>,
}

/// What a denial means to a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenialKind {
    Blocked,
    Declined,
    Expired,
    NoOperator,
}

/// For how long an operator can answer a question with yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongestApproval {
    Once,
    /// As long as the rule, the run and the risk permit.
    Unlimited,
}

/// Which grant would have spared a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparedBy {
    NoGrant,
    /// Only a grant of that very command.
    CommandGrant,
    AnyGrant,
}

const CHANGED_FILE: &str =
    "a file that decides what this line executes has changed; a yes accepts it as it is now";
/// Nothing in particular.
const PLAIN: ReasonTraits = ReasonTraits {
    denial: DenialKind::Blocked,
    alert: None,
    longest_yes: LongestApproval::Unlimited,
    spared_by: SparedBy::NoGrant,
    news: None,
};
const ONCE: ReasonTraits = ReasonTraits { longest_yes: LongestApproval::Once, ..PLAIN };
const LACKS_GRANT: ReasonTraits = ReasonTraits { spared_by: SparedBy::AnyGrant, ..PLAIN };

impl Reason {
    pub const fn traits(self) -> ReasonTraits {
        match self {
            Self::Blocked => ReasonTraits { alert: Some(Cause::Blocked), ..PLAIN },
            Self::SelfProtection => ReasonTraits { alert: Some(Cause::SelfProtection), ..PLAIN },
            Self::ChannelRequired => ReasonTraits { alert: Some(Cause::ChannelRequired), ..PLAIN },
            Self::DeclinedBefore => ReasonTraits { denial: DenialKind::Declined, ..PLAIN },
            Self::NoOperator => ReasonTraits { denial: DenialKind::NoOperator, ..PLAIN },
            Self::FanOut => ReasonTraits {
                news: Some("this event has gone to another destination already"),
                ..ONCE
            },
            Self::UnresolvedPath => {
                ReasonTraits { news: Some("where its path leads is unknown"), ..ONCE }
            }
            Self::UnknownEffect => {
                ReasonTraits { news: Some("it was tried before, and may have happened"), ..ONCE }
            }
            Self::Individual => ONCE,
            Self::ToolChanged => ReasonTraits {
                news: Some("the tool is not what it was when it was approved"),
                ..PLAIN
            },
            Self::Unclassified => ReasonTraits {
                spared_by: SparedBy::CommandGrant,
                news: Some("no list of the graph names this"),
                ..PLAIN
            },
            Self::ChangedBeforeRun => ReasonTraits { news: Some(CHANGED_FILE), ..PLAIN },
            Self::NoGrant => LACKS_GRANT,
            Self::TooRiskyToCarry => ReasonTraits {
                news: Some("there is a permission for it, and this is riskier"),
                ..LACKS_GRANT
            },
            Self::Expired => ReasonTraits {
                denial: DenialKind::Expired,
                news: Some("there was a permission for it, and it has ended"),
                ..LACKS_GRANT
            },
            Self::Decayed => ReasonTraits {
                news: Some("the permission for it is due for review"),
                ..LACKS_GRANT
            },
            Self::Malformed
            | Self::NoGraph
            | Self::Paused
            | Self::DiffMissing
            | Self::UndoMissing
            | Self::Cooling
            | Self::Granted
            | Self::Gesture
            | Self::DryRun
            | Self::PreviouslyDeclined
            | Self::AlwaysAsk
            | Self::Nested
            | Self::Reduced
            | Self::Autonomous
            | Self::ReadOnly
            | Self::Idle
            | Self::Plan
            | Self::Visible
            | Self::TooManyAsks
            | Self::TooManyOpen
            | Self::Bypassed
            | Self::AlreadyDone
            | Self::Running
            | Self::Stopped
            | Self::Cancelled => PLAIN,
        }
    }
}
