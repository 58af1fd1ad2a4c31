//! What one graph newly allows against another: proved to be nothing, or shown by a call.
//!
//! Lists and policies of both graphs become questions for a solver, one for each action and level.
//! An answer is never taken on trust where it can be checked: a call that is shown was evaluated
//! under both graphs by the same code that judges calls. What the solver does not answer is not
//! proved. Grants, command rules and whatever else decides a call are not in here.

mod example;
mod facts_that_can_be;
mod limits;
mod question;
mod repair;
mod sets;
mod solver;
mod spelled;
mod subject;
mod told;

pub use example::Example;
pub use facts_that_can_be::are_possible;
pub use subject::Subject;
pub use told::{json, words};

use countersign_core::model::graph::Graph;
use countersign_graph::policies::{self, CompiledPolicies};
use std::ffi::OsString;
use std::time::Duration;

/// One of the two graphs, with its policies.
#[derive(Clone, Copy)]
pub struct Side<'g> {
    pub graph: &'g Graph,
    pub rules: &'g CompiledPolicies,
}

/// The solver, and how long it may think.
#[derive(Clone, Debug)]
pub struct Effort {
    /// A path, or a name that is looked for in `PATH`.
    pub program: OsString,
    /// For each question.
    pub limit: Duration,
}

/// How far a call gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nobody is asked.
    WithoutAsking,
    /// It can happen at all: after a yes, or without one.
    WithApproval,
}

impl Level {
    pub const ALL: [Self; 2] = [Self::WithoutAsking, Self::WithApproval];

    pub const fn word(self) -> &'static str {
        match self {
            Self::WithoutAsking => "without asking",
            Self::WithApproval => "with approval",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    NothingNew,
    NewlyAllowed(Box<Example>),
    /// And why.
    NotProved(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub subject: Subject,
    pub level: Level,
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What the solver calls itself.
    pub solver: String,
    /// By subject, each at both levels.
    pub findings: Vec<Finding>,
}

/// Why there is no proof at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    #[error("`{0}` is not there")]
    Missing(String),
    #[error("`{program}` is no solver to rely on: {why}")]
    Unusable { program: String, why: String },
    #[error("the two graphs cannot be asked about together: {0}")]
    Graphs(String),
}

/// Asks about every action that one of the graphs lists, and about all others together.
pub fn prove(old: Side<'_>, new: Side<'_>, effort: &Effort) -> Result<Proof, Unavailable> {
    let schema = policies::combined_schema(old.graph, new.graph)
        .map_err(|problem| Unavailable::Graphs(problem.message))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Unavailable::Graphs(error.to_string()))?;
    runtime.block_on(async {
        let mut solver = solver::Solver::start(effort, &schema).await?;
        let mut findings = Vec::new();
        for subject in subject::all(old.graph, new.graph) {
            findings.extend(question::ask(&mut solver, &schema, (old, new), &subject).await);
        }
        Ok(Proof { solver: solver.name, findings })
    })
}
