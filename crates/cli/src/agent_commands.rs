//! Commands that act for an agent, over the agents' socket: they ask, and the exit code is the answer.
//!
//! At a terminal they show the card and take the answer there.

mod ask;
mod consent;
mod gate;
mod workflow;

pub(crate) use ask::{AskArgs, ask};
pub(crate) use consent::{ConsentArgs, consent};
pub(crate) use gate::{GateArgs, gate};
pub(crate) use workflow::{WorkflowCommand, workflow};
