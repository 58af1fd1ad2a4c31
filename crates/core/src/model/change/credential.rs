//! The credentials that the ledger records.

use crate::encoding::digest::Digest;
use crate::model::application::ApplicationRights;
use crate::model::names::Agent;
use crate::model::words::Principal;
use serde::{Deserialize, Serialize};

/// A credential of an agent, adapter, application or operator. The store never holds the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    pub principal: Principal,
    /// The agent it belongs to; none for the operator.
    pub agent: Option<Agent>,
    pub hash: Digest,
    /// What an application is bound to; none for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationRights>,
}
