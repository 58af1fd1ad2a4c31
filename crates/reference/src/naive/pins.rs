//! Whose a grant is, and whether the operator pinned the programs of a line.

use countersign_core::decide::facts::Facts;
use countersign_core::model::call::Call;
use countersign_core::model::grant::{Coverage, Grant, GrantState, Owner};
use countersign_core::model::place::PinnedProgram;

/// Whether it is a grant of this agent, in this session or its project.
pub fn belongs_to(call: &Call, grant: &Grant) -> bool {
    let is_owner = match &grant.owner {
        Owner::Session(session) => *session == call.session,
        Owner::Project(project) => Some(project) == call.project.as_ref(),
        Owner::User => false,
    };
    is_owner && grant.agent == call.agent
}

/// Every program of the line that counts has the content that the operator allowed. A program that
/// nobody can read has no such content.
pub fn are_programs_pinned(
    facts: &Facts,
    call: &Call,
    counts: impl Fn(&PinnedProgram) -> bool,
) -> bool {
    let is_pin = |grant: &Grant, program: &PinnedProgram| {
        let is_over = grant.ends_at.is_some_and(|end| facts.now >= end);
        let is_live = grant.state == GrantState::Live && !is_over;
        (grant.owner == Owner::User || belongs_to(call, grant))
            && is_live
            && matches!(&grant.coverage, Coverage::Program(pinned) if pinned == program)
    };
    facts.ruled.programs.iter().filter(|program| counts(program)).all(|program| {
        !program.hash.is_empty() && facts.state.grants.iter().any(|grant| is_pin(grant, program))
    })
}
