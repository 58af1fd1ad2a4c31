//! Admission: identifies the caller of a request and applies the rate limits, before routing.
//!
//! A credential of one plane is refused on the other. An unknown credential is refused, too: the
//! server does not fall back to the user that the kernel reports.

use crate::Plane;
use crate::credentials::{Credentials, TokenOwner};
use crate::error::ApiError;
use crate::limits;
use crate::lineage::{Lineage, find_lineage};
use crate::peers::{Caller, CallerKind, Peer, PeerLookup};
use crate::ports::Rates;
use crate::rate_limit::{RateLimited, RateLimiter};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use countersign_core::model::names::Agent;
use countersign_engine::CredentialStanding;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::time::Instant;

/// The admission rules of one plane.
pub(crate) struct Admission {
    plane: Plane,
    users: AllowedUsers,
    credentials: Arc<Credentials>,
    per_user: RateLimiter<u32>,
    per_address: RateLimiter<IpAddr>,
    per_credential: RateLimiter<Option<Caller>>,
    failures: RateLimiter<IpAddr>,
}

/// Which users may be agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllowedUsers {
    Any,
    /// Neither the daemon's own user nor root: with them the assurance level would be wrong.
    OthersOnly,
}

impl Admission {
    pub fn new(
        plane: Plane,
        users: AllowedUsers,
        credentials: Arc<Credentials>,
        rates: Rates,
    ) -> Self {
        Self {
            plane,
            users,
            credentials,
            per_user: RateLimiter::new(limits::RATE_PER_USER),
            per_address: RateLimiter::new(rates.per_address),
            per_credential: RateLimiter::new(rates.per_credential),
            failures: RateLimiter::new(rates.failures),
        }
    }

    pub const fn plane(&self) -> Plane {
        self.plane
    }

    /// What has to be known about the other end of a connection to a port.
    pub fn peer_lookup(&self) -> PeerLookup {
        match (self.plane, self.users) {
            (Plane::Agent, AllowedUsers::Any) => PeerLookup::Address,
            (Plane::Operator, _) | (_, AllowedUsers::OthersOnly) => PeerLookup::AddressAndUser,
        }
    }

    /// Limits how often a user or an address sends anything.
    #[allow(
        clippy::disallowed_methods,
        reason = "a rate limit needs a clock that never goes back; it decides no call"
    )]
    pub fn limit(&self, peer: Peer) -> Result<(), ApiError> {
        let now = Instant::now();
        match peer {
            Peer::Local { uid, .. } => self.per_user.take(uid, now)?,
            Peer::Network { address, .. } => self.per_address.take(address.ip(), now)?,
        }
        Ok(())
    }

    /// Returns the caller. On the operator's plane there is only one, which has no name. `recorded` is
    /// what a record that nodes share says about the token.
    pub fn admit(
        &self,
        peer: Peer,
        headers: &HeaderMap,
        recorded: Option<&CredentialStanding>,
    ) -> Result<Option<Caller>, ApiError> {
        if self.plane == Plane::Operator {
            check_lineage(peer)?;
        }
        match peer {
            Peer::Local { uid, .. } => self.admit_local(uid, headers, recorded),
            Peer::Network { address, uid, .. } => {
                self.check_network_user(address.ip(), uid)?;
                self.admit_network(address.ip(), headers, recorded)
            }
        }
    }

    fn admit_local(
        &self,
        uid: u32,
        headers: &HeaderMap,
        recorded: Option<&CredentialStanding>,
    ) -> Result<Option<Caller>, ApiError> {
        match (self.plane, self.users) {
            (Plane::Operator, _) if !is_privileged(uid) => {
                let remedy = "use the agents' socket";
                return Err(ApiError::forbidden("this is the operator's socket", remedy));
            }
            (Plane::Agent, AllowedUsers::OthersOnly) if is_privileged(uid) => {
                return Err(own_user());
            }
            _ => {}
        }
        if headers.contains_key(AUTHORIZATION) {
            return self.authenticate(headers, recorded);
        }
        match self.plane {
            Plane::Operator => Ok(None),
            Plane::Agent => {
                let agent = Agent::parse(&format!("uid-{uid}")).map_err(ApiError::unreadable)?;
                Ok(Some(Caller { agent, kind: CallerKind::Agent }))
            }
        }
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "a rate limit needs a clock that never goes back; it decides no call"
    )]
    fn admit_network(
        &self,
        address: IpAddr,
        headers: &HeaderMap,
        recorded: Option<&CredentialStanding>,
    ) -> Result<Option<Caller>, ApiError> {
        let now = Instant::now();
        match self.authenticate(headers, recorded) {
            Ok(caller) => {
                self.per_credential.take(caller.clone(), now)?;
                Ok(caller)
            }
            // Only failures count here, so that guessing does not lock out valid credentials.
            Err(error) => {
                self.failures.take(address, now)?;
                Err(error)
            }
        }
    }

    fn check_network_user(&self, address: IpAddr, uid: Option<u32>) -> Result<(), ApiError> {
        let is_unsafe_user = address.is_loopback() && uid.is_none_or(is_privileged);
        match self.users == AllowedUsers::OthersOnly && is_unsafe_user {
            true => Err(own_user()),
            false => Ok(()),
        }
    }

    fn authenticate(
        &self,
        headers: &HeaderMap,
        recorded: Option<&CredentialStanding>,
    ) -> Result<Option<Caller>, ApiError> {
        if !headers.contains_key(AUTHORIZATION) {
            return Err(ApiError::no_credential(self.plane));
        }
        let find_owner = |token| self.credentials.find_recorded_owner(token, recorded);
        let owner = find_token(headers).map_or(TokenOwner::Nobody, find_owner);
        match (owner, self.plane) {
            (TokenOwner::Caller(caller), Plane::Agent) => Ok(Some(caller)),
            (TokenOwner::Operator, Plane::Operator) => Ok(None),
            (TokenOwner::Caller(_), Plane::Operator) => {
                let message = "an agent's credential is not valid on the operator's plane";
                Err(ApiError::wrong_plane(message, "use the agents' plane"))
            }
            (TokenOwner::Operator, Plane::Agent) => {
                let message = "the operator's credential is not valid on the agents' plane";
                Err(ApiError::wrong_plane(message, "keep it away from agents"))
            }
            (TokenOwner::Nobody, _) => Err(ApiError::unknown_credential(self.plane)),
        }
    }
}

/// What the daemon started, and what runs in a sandbox, does not speak for the operator. A process of
/// another machine or user has no such parent; its credential decides.
fn check_lineage(peer: Peer) -> Result<(), ApiError> {
    let own = rustix::process::geteuid().as_raw();
    let lineage = match peer {
        Peer::Local { pid: Some(pid), .. } | Peer::Network { pid: Some(pid), .. } => {
            find_lineage(pid)
        }
        Peer::Network { uid: Some(uid), pid: None, .. } if uid == own => Lineage::Unknown,
        Peer::Network { address, uid: None, .. } if address.ip().is_loopback() => Lineage::Unknown,
        Peer::Local { pid: None, .. } | Peer::Network { pid: None, .. } => Lineage::Unsuspicious,
    };
    let message = match lineage {
        Lineage::Unsuspicious => return Ok(()),
        Lineage::StartedByDaemon => "a process that the daemon started is not the operator",
        Lineage::Sandboxed => "a process in a sandbox is not the operator",
        Lineage::Unknown => "which process asks cannot be told",
    };
    Err(ApiError::forbidden(message, "use a terminal of your own, outside of any sandbox"))
}

/// The daemon's own user is the operator. Root can do everything anyway.
fn is_privileged(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw() || uid == 0
}

fn own_user() -> ApiError {
    let message = "agents may not run as the daemon's own user here";
    ApiError::forbidden(message, "run the agent as another user")
}

/// The one token of a request.
pub(crate) fn find_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok().and_then(bearer_token),
        (None, _) | (Some(_), Some(_)) => None,
    }
}

/// The token after `Bearer`, which is not case-sensitive.
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

impl From<RateLimited> for ApiError {
    fn from(limited: RateLimited) -> Self {
        Self::too_many(limited.retry_after)
    }
}
