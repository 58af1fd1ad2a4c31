//! Who is at the other end of a connection.
//!
//! On a socket it is what the kernel says, and nothing that is sent changes it: grants and sessions
//! belong to an agent by this name.

use countersign_core::names::Agent;

/// An agent that has connected.
#[derive(Clone, Debug)]
pub struct Caller {
    pub agent: Agent,
}

/// What the kernel says about a peer on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    pub pid: Option<i32>,
}
