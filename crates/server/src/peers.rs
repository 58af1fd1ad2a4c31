//! Who is at the other end of a connection.
//!
//! On a socket it is what the kernel says, or the agent whose token comes along, and nothing else
//! that is sent changes it: grants and sessions belong to an agent by this name.

use countersign_core::names::Agent;

/// An agent that has connected, or what reports for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub agent: Agent,
    pub kind: Principal,
}

/// What a caller's word counts for on the agents' plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    /// Can only make things stricter.
    Agent,
    /// Reports what the operator said and what was observed, with a credential that the agent
    /// should not be able to reach.
    Adapter,
}

/// What the kernel says about a peer on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    pub uid: u32,
    pub pid: Option<i32>,
}
