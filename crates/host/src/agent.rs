//! What agents can do, as plain functions on typed requests.
//!
//! The HTTP routes of agents and the gateway's own tools are adapters of these: they parse, call one
//! function here, and render its reply. A request is a draft of `core`, a reply is a type of `api`.
//! Nothing here approves, grants or revokes; `programs` records what the operator answered in the own
//! prompt of a coding agent's program, as its adapter observed it.
//!
//! See docs/decisions/0089-one-service-for-agents.md.

mod ask_ahead;
mod calls;
mod draft;
mod error;
mod own_lists;
mod program_question;
mod program_sessions;
mod programs;
mod run_view;
mod runs;
mod sub_agents;

pub use calls::describe_check;
pub use draft::ActionCheck;
pub use error::AgentError;
pub use sub_agents::JoinReach;
