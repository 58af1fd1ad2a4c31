//! The run and the step that a call names.

use crate::decide::facts::Facts;
use crate::model::call::{Call, Malformed};
use crate::model::graph::Graph;
use crate::model::ids::RunId;
use crate::model::request::{Request, RequestState};
use crate::model::run::Run;
use crate::model::words::Ending;

/// A call may name only a run of its own agent and session, and only a step of that workflow.
pub(super) fn check_run(facts: &Facts, graph: &Graph, call: &Call) -> Result<(), Malformed> {
    let Some(id) = call.run else {
        return call.step.clone().map_or(Ok(()), |step| Err(Malformed::UnknownStep(step)));
    };
    let own = |run: &&Run| run.session == call.session && run.agent == call.agent;
    let run = facts.state.runs.get(&id).filter(own);
    let run = run.ok_or_else(|| why_no_run(facts, id, call))?;
    match (&call.step, graph.workflows.get(&run.workflow)) {
        (Some(step), Some(workflow)) if !workflow.has_step(step) => {
            Err(Malformed::UnknownStep(step.clone()))
        }
        (Some(step), None) => Err(Malformed::UnknownStep(step.clone())),
        (Some(_), Some(_)) | (None, _) => Ok(()),
    }
}

/// Why there is no such run: the operator was asked about its start, or nobody knows it.
fn why_no_run(facts: &Facts, run: RunId, call: &Call) -> Malformed {
    let own = |request: &&Request| request.session == call.session && request.starts(run);
    match facts.state.requests.values().find(own) {
        None => Malformed::UnknownRun,
        Some(request) if request.is_open(facts.now) => Malformed::RunNotStarted,
        Some(request) if request.state == RequestState::Closed(Ending::Declined) => {
            Malformed::RunDeclined
        }
        Some(_) => Malformed::RunNeverStarted,
    }
}
