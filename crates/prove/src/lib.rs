//! Compares two graphs: proves that the new one allows nothing more, or shows an example call.
//!
//! The lists and policies of both graphs become questions for a solver, one per action and level.
//! Every example is evaluated under both graphs by the code that judges real calls. A question that
//! the solver does not answer counts as not proved. Grants and command rules are not covered. The
//! crates that translate policies for a solver take long to build, so they are behind a feature.
//!
//! See docs/decisions/0014-prove-graph-changes.md.
//! See docs/decisions/0090-what-installing-builds.md.

mod describe;
#[cfg(feature = "solver")]
mod solving;
mod subject;

pub use describe::{describe_facts, facts_to_json};
#[cfg(feature = "solver")]
pub use solving::check_facts_possible;
pub use subject::ProofSubject;

use countersign_core::model::graph::Graph;
use countersign_core::model::words::Tier;
use countersign_graph::policies::{ArgumentFacts, CompiledPolicies};
use std::ffi::OsString;
use std::time::Duration;

/// One of the two graphs, with its policies.
#[derive(Clone, Copy)]
pub struct GraphSide<'g> {
    pub graph: &'g Graph,
    pub rules: &'g CompiledPolicies,
}

/// The solver program and its time limit.
#[derive(Clone, Debug)]
pub struct SolverSettings {
    /// A path, or a name that is looked up in `PATH`.
    pub program: OsString,
    /// Time limit per question.
    pub time_limit: Duration,
}

/// How far a graph lets a call go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowLevel {
    /// The call runs without a question.
    WithoutAsking,
    /// The call can run, with or without approval.
    WithApproval,
}

impl AllowLevel {
    pub const ALL: [Self; 2] = [Self::WithoutAsking, Self::WithApproval];

    pub const fn word(self) -> &'static str {
        match self {
            Self::WithoutAsking => "without asking",
            Self::WithApproval => "with approval",
        }
    }
}

/// A call that one graph allows and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleCall {
    pub facts: ArgumentFacts,
    /// The tier under the old graph.
    pub before: Tier,
    /// The tier under the new graph.
    pub after: Tier,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofResult {
    NothingNew,
    NewlyAllowed(Box<ExampleCall>),
    /// The reason.
    NotProved(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFinding {
    pub subject: ProofSubject,
    pub level: AllowLevel,
    pub result: ProofResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The name and version that the solver reports.
    pub solver: String,
    /// Grouped by subject, each at both levels.
    pub findings: Vec<ProofFinding>,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("this program was built without the prover")]
    NotBuiltIn,
    #[error("the solver `{0}` was not found")]
    SolverNotFound(String),
    #[error("the solver `{program}` is not reliable: {why}")]
    SolverUnreliable { program: String, why: String },
    #[error("the two graphs cannot be compared: {0}")]
    IncompatibleGraphs(String),
}

/// Asks the solver about every action that one of the graphs lists, and about all other actions.
pub fn prove(
    old: GraphSide<'_>,
    new: GraphSide<'_>,
    settings: &SolverSettings,
) -> Result<Proof, ProofError> {
    #[cfg(feature = "solver")]
    return solving::prove(old, new, settings);
    #[cfg(not(feature = "solver"))]
    {
        let _ = (old, new, settings);
        Err(ProofError::NotBuiltIn)
    }
}
