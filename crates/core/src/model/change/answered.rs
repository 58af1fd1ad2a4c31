//! An answer as it is recorded, and the declines that it sets or lifts.

use crate::encoding::digest::Digest;
use crate::model::call::CallTarget;
use crate::model::ids::RequestId;
use crate::model::names::{Action, SurfaceName};
use crate::model::words::{Choice, Ending};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub request: RequestId,
    /// None while items are still open.
    pub ending: Option<Ending>,
    pub timing: Timing,
    /// The answered items by position, with the choice.
    pub items: Vec<(usize, Choice)>,
    pub note: String,
    pub declines: Vec<Decline>,
    /// Actions and targets whose earlier decline no longer asks.
    pub cleared: Vec<(Action, CallTarget)>,
    /// The surface on which it was answered, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    InTime,
    /// After the end of the request: recorded, but without effect.
    Late,
}

/// A decline that lasts: for the digest, for a while; for the action and target, for the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decline {
    pub lasting: Digest,
    pub action: Option<Action>,
    pub target: CallTarget,
}

/// Declines that a later act of the operator lifts, because it names what was declined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftedDeclines {
    /// Actions and targets that no longer ask because of a decline.
    pub targets: Vec<(Action, CallTarget)>,
    /// Digests, without their session, that are no longer denied because of a decline.
    pub digests: Vec<Digest>,
    /// Where the digests are no longer denied.
    #[serde(default, skip_serializing_if = "LiftReach::is_everywhere")]
    pub reach: LiftReach,
}

/// How far a later act of the operator lifts the decline of a digest. Entries without it lifted it
/// for all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiftReach {
    #[default]
    Everywhere,
    Session,
}

impl LiftReach {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_everywhere(&self) -> bool {
        *self == Self::Everywhere
    }
}
