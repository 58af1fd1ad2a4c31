//! Simulation: decides calls of a file as if agents had made them, and counts what would be asked.
//!
//! Every call goes through the real engine, on an empty record in memory. The record of a daemon is
//! neither read nor written here, nothing is executed, and no person is asked: an operator model
//! answers instead.

mod call_file;
mod comparison;
mod edits;
pub mod limits;
mod operator;
mod report;
mod simulation;

pub use call_file::{CallFileError, SimulatedCall, read_calls};
pub use comparison::{ChangedCalls, GraphComparison};
pub use operator::OperatorModel;
pub use report::{PromptCount, Report, SessionPrompts};
pub use simulation::{SimulatedDecision, Simulation, SimulationSetup};
