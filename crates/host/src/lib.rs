//! The engine at run time, without HTTP and MCP.
//!
//! The host owns the engine of a daemon: it runs steps without blocking the event loop, lets callers
//! wait for answers, tracks surfaces and presence, sweeps, and loads changed rules. It has the
//! operations of agents as plain functions, and the HTTP server and the gateway are adapters of them.
//! It decides nothing itself.

mod agent;
mod connection_tasks;
mod fast_path;
mod health;
mod host;
pub mod limits;
mod maintenance;
mod node_name;
mod parents;
mod presence;
mod program_calls;
mod seal;
mod step_counter;
mod wait;
mod waiters;

pub use agent::{ActionCheck, AgentError, JoinReach, describe_check};
pub use connection_tasks::ConnectionTasks;
pub use health::{GraphFileState, HealthProblem, HealthReport, ProblemKind};
pub use host::{Host, SurfaceGuard};
pub use maintenance::{AssuranceChange, GraphChange, RulesChange};
pub use node_name::{NodeNameError, load_node_name};
pub use parents::ParentState;
pub use program_calls::{NamedCall, ProgramCalls, ProgramProcess};
pub use seal::{Seal, SealedFor, random_bytes};

use countersign_engine::{Engine, Store};

pub type HostEngine = Engine<Box<dyn Store>>;
