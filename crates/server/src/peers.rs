//! Who is at the other end of a connection.
//!
//! Grants and sessions belong to an agent by its name. The name comes from the kernel or from a
//! token; nothing else that a client sends can change it.

use countersign_core::model::application::ApplicationRights;
use countersign_core::model::names::{Agent, SessionKey, SessionName};
use countersign_core::model::words::Principal;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::UnixStream;

/// What the server finds out about the other end of a connection to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerLookup {
    Address,
    /// Also the user, if the other end is on this machine.
    AddressAndUser,
}

/// An identified caller on the agents' plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub agent: Agent,
    pub kind: CallerKind,
}

impl Caller {
    /// The caller's own session of this name.
    pub(crate) fn session(&self, name: &SessionName) -> SessionKey {
        SessionKey::new(&self.agent, name)
    }
}

/// What a caller may report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallerKind {
    /// Its reports can only make decisions stricter.
    Agent,
    /// Reports the operator's turns and its own observations. The agent should not be able to
    /// read its credential.
    Adapter,
    /// Gates its own functions, for the actions that it is bound to.
    Application(Arc<ApplicationRights>),
}

impl CallerKind {
    pub(crate) const fn principal(&self) -> Principal {
        match self {
            Self::Agent => Principal::Agent,
            Self::Adapter => Principal::Adapter,
            Self::Application(_) => Principal::Application,
        }
    }

    pub(crate) fn rights(&self) -> Option<&Arc<ApplicationRights>> {
        match self {
            Self::Agent | Self::Adapter => None,
            Self::Application(rights) => Some(rights),
        }
    }
}

/// The other end as the kernel knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A process of this machine, on a socket. Its id is known where the kernel reports it.
    Local { uid: u32, pid: Option<i32> },
    /// An address, on a port. User and process are known only if they were looked up and found; the
    /// process only if it is of our own user.
    Network { address: SocketAddr, uid: Option<u32>, pid: Option<i32> },
}

impl Peer {
    /// The process at the other end, where it is known.
    pub(crate) const fn pid(self) -> Option<i32> {
        match self {
            Self::Local { pid, .. } | Self::Network { pid, .. } => pid,
        }
    }

    /// A peer without kernel credentials gets a user id that nobody has.
    pub(crate) fn from_socket(stream: &UnixStream) -> Self {
        let credentials = stream.peer_cred().ok();
        Self::Local {
            uid: credentials.map_or(u32::MAX, |credentials| credentials.uid()),
            pid: credentials.and_then(|credentials| credentials.pid()).filter(|pid| *pid > 0),
        }
    }
}
