//! Who is at the other end of a connection.
//!
//! On a socket it is what the kernel says, or the agent whose token comes along, and nothing else
//! that is sent changes it: grants and sessions belong to an agent by this name.

use countersign_core::model::names::Agent;
use countersign_core::model::words;
use std::net::SocketAddr;
use tokio::net::UnixStream;

/// An agent that has connected, or what reports for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    pub agent: Agent,
    pub kind: Principal,
}

/// What a caller's word counts for on the agents' plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// Can only make things stricter.
    Agent,
    /// Reports what the operator said and what was observed, with a credential that the agent
    /// should not be able to reach.
    Adapter,
}

impl Principal {
    pub(crate) const fn word(self) -> words::Principal {
        match self {
            Self::Agent => words::Principal::Agent,
            Self::Adapter => words::Principal::Adapter,
        }
    }
}

/// The other end, as the kernel knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// On a socket: the user that runs it.
    Local { uid: u32 },
    /// On a port: where it comes from, and the user only if that was looked for and found.
    Network { address: SocketAddr, uid: Option<u32> },
}

impl Peer {
    /// A peer that the kernel says nothing about is nobody's.
    pub(crate) fn on_socket(stream: &UnixStream) -> Self {
        Self::Local { uid: stream.peer_cred().map_or(u32::MAX, |found| found.uid()) }
    }
}
