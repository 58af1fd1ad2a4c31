//! The run and the step that a call names.

use crate::decide::facts::Facts;
use crate::model::call::{Call, Malformed};
use crate::model::graph::{Graph, WorkflowRule};
use crate::model::ids::RunId;
use crate::model::names::Workflow;
use crate::model::request::{Request, RequestState, Subject};
use crate::model::run::Run;
use crate::model::words::Ending;

/// A call may name only a run of its own agent and session, and only a step of that workflow.
pub(super) fn check_run(facts: &Facts, graph: &Graph, call: &Call) -> Result<(), Malformed> {
    let Some(id) = call.run else {
        return call.step.clone().map_or(Ok(()), |step| Err(Malformed::UnknownStep(step)));
    };
    let own = |run: &&Run| run.session == call.session && run.agent == call.agent;
    let workflow = match facts.state.runs.get(&id).filter(own) {
        Some(run) => &run.workflow,
        None => find_waiting_start(facts, id, call)?,
    };
    match (&call.step, graph.workflows.get(workflow)) {
        (Some(step), Some(workflow)) if !workflow.has_step(step) => {
            Err(Malformed::UnknownStep(step.clone()))
        }
        (Some(step), None) => Err(Malformed::UnknownStep(step.clone())),
        (Some(_), Some(_)) | (None, _) => Ok(()),
    }
}

/// The rule of the workflow whose run a call names, also while the start of the run waits for an
/// answer.
pub(crate) fn find_workflow<'a>(facts: &Facts<'a>, call: &Call) -> Option<&'a WorkflowRule> {
    let id = call.run?;
    let workflow = match facts.state.runs.get(&id) {
        Some(run) => &run.workflow,
        None => find_waiting_start(facts, id, call).ok()?,
    };
    facts.graph?.workflows.get(workflow)
}

/// The workflow of a run whose start waits for an answer: until then, the run allows nothing. Else
/// why there is no such run.
fn find_waiting_start<'a>(
    facts: &Facts<'a>,
    run: RunId,
    call: &Call,
) -> Result<&'a Workflow, Malformed> {
    let own = |request: &&Request| request.session == call.session && request.starts(run);
    match facts.state.requests.values().find(own) {
        None => Err(Malformed::UnknownRun),
        Some(request) => match (&request.subject, request.state) {
            (Subject::Start(start), _) if request.is_open(facts.now) => Ok(&start.workflow),
            (_, RequestState::Closed(Ending::Declined)) => Err(Malformed::RunDeclined),
            _ => Err(Malformed::RunNeverStarted),
        },
    }
}
