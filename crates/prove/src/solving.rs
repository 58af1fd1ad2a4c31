//! Turns two graphs into questions, and asks them of a solver.

mod constraints;
mod example;
mod limits;
mod literals;
mod policy_sets;
mod question;
mod repair;
mod side_policies;
mod solver;
mod subjects;

pub use constraints::check_facts_possible;

use crate::{GraphSide, Proof, ProofError, SolverSettings};
use countersign_graph::policies;

pub(super) fn prove(
    old: GraphSide<'_>,
    new: GraphSide<'_>,
    settings: &SolverSettings,
) -> Result<Proof, ProofError> {
    let schema = policies::combined_schema(old.graph, new.graph)
        .map_err(|problem| ProofError::IncompatibleGraphs(problem.message))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ProofError::IncompatibleGraphs(error.to_string()))?;
    runtime.block_on(async {
        let mut solver = solver::Solver::start(settings, &schema).await?;
        let mut findings = Vec::new();
        for subject in subjects::list_subjects(old.graph, new.graph) {
            findings
                .extend(question::prove_subject(&mut solver, &schema, old, new, &subject).await);
        }
        Ok(Proof { solver: solver.name, findings })
    })
}
