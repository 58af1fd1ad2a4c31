//! Who comes in: at each door it is found out who speaks, before any route is looked for, and how
//! much they have sent already.
//!
//! A credential of one plane is worth nothing on the other, and one that nobody knows is not
//! passed over in favour of what the kernel says.

use crate::Plane;
use crate::credentials::{Credentials, Holder};
use crate::fault::Fault;
use crate::limits;
use crate::peers::{Caller, Peer, Principal};
use crate::ports::Rates;
use crate::rate::{Buckets, Later};
use crate::serving::Sees;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use countersign_core::model::names::Agent;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::time::Instant;

/// One plane's doorkeeper.
pub(crate) struct Doorkeeper {
    plane: Plane,
    users: Users,
    credentials: Arc<Credentials>,
    by_user: Buckets<u32>,
    by_address: Buckets<IpAddr>,
    by_credential: Buckets<Option<Caller>>,
    failed: Buckets<IpAddr>,
}

/// Which users may be agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Users {
    Any,
    /// Not the one that the daemon runs as, nor root: what is claimed of agents would not hold.
    Others,
}

impl Doorkeeper {
    pub fn new(plane: Plane, users: Users, credentials: Arc<Credentials>, rates: Rates) -> Self {
        Self {
            plane,
            users,
            credentials,
            by_user: Buckets::new(limits::BY_USER),
            by_address: Buckets::new(rates.by_address),
            by_credential: Buckets::new(rates.by_credential),
            failed: Buckets::new(rates.failed),
        }
    }

    pub const fn plane(&self) -> Plane {
        self.plane
    }

    /// What has to be found out about whoever comes by a port.
    pub fn sees(&self) -> Sees {
        match self.users {
            Users::Any => Sees::Addresses,
            Users::Others => Sees::Users,
        }
    }

    /// Who speaks; on the operator's plane that is nobody with a name.
    pub fn admit(&self, peer: Peer, headers: &HeaderMap) -> Result<Option<Caller>, Fault> {
        match peer {
            Peer::Local { uid } => self.on_socket(uid, headers),
            Peer::Network { address, uid } => self.on_port(address.ip(), uid, headers),
        }
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "a rate limit needs a clock that never goes back; it decides no call"
    )]
    fn on_socket(&self, uid: u32, headers: &HeaderMap) -> Result<Option<Caller>, Fault> {
        match (self.plane, self.users) {
            (Plane::Operator, _) if !is_privileged(uid) => {
                let remedy = "use the agents' one";
                return Err(Fault::forbidden("this is the operator's socket", remedy));
            }
            (Plane::Agent, Users::Others) if is_privileged(uid) => return Err(own_user()),
            _ => {}
        }
        self.by_user.take(uid, Instant::now())?;
        if headers.contains_key(AUTHORIZATION) {
            return self.held(headers);
        }
        match self.plane {
            Plane::Operator => Ok(None),
            Plane::Agent => {
                let agent = Agent::parse(&format!("uid-{uid}")).map_err(Fault::unreadable)?;
                Ok(Some(Caller { agent, kind: Principal::Agent }))
            }
        }
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "a rate limit needs a clock that never goes back; it decides no call"
    )]
    fn on_port(
        &self,
        address: IpAddr,
        uid: Option<u32>,
        headers: &HeaderMap,
    ) -> Result<Option<Caller>, Fault> {
        let now = Instant::now();
        self.by_address.take(address, now)?;
        if self.users == Users::Others && address.is_loopback() && uid.is_none_or(is_privileged) {
            return Err(own_user());
        }
        match self.held(headers) {
            Ok(caller) => {
                self.by_credential.take(caller.clone(), now)?;
                Ok(caller)
            }
            // Who holds one that counts is never kept out by those who guess.
            Err(refused) => {
                self.failed.take(address, now)?;
                Err(refused)
            }
        }
    }

    fn held(&self, headers: &HeaderMap) -> Result<Option<Caller>, Fault> {
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let token = match (shown.next(), shown.next()) {
            (None, _) => return Err(Fault::no_credential(self.plane)),
            (Some(one), None) => one.to_str().ok().and_then(bearer),
            (Some(_), Some(_)) => None,
        };
        let holder = token.map_or(Holder::Nobody, |token| self.credentials.holder(token));
        match (holder, self.plane) {
            (Holder::Caller(caller), Plane::Agent) => Ok(Some(caller)),
            (Holder::Operator, Plane::Operator) => Ok(None),
            (Holder::Caller(_), Plane::Operator) => {
                let message = "an agent's credential opens nothing on the operator's plane";
                Err(Fault::wrong_plane(message, "agents have a plane of their own"))
            }
            (Holder::Operator, Plane::Agent) => {
                let message = "the operator's credential opens nothing on the agents' plane";
                Err(Fault::wrong_plane(message, "keep it away from agents"))
            }
            (Holder::Nobody, _) => Err(Fault::unknown_credential(self.plane)),
        }
    }
}

/// Only the user that the daemon runs as is the operator; root is everybody.
fn is_privileged(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw() || uid == 0
}

fn own_user() -> Fault {
    let message = "agents do not run as the daemon's own user here";
    Fault::forbidden(message, "run the agent as another user")
}

/// `Bearer` and the token; the word in any case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

impl From<Later> for Fault {
    fn from(later: Later) -> Self {
        Self::too_many(later.seconds)
    }
}
