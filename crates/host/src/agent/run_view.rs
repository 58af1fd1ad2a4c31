//! How an agent's own run stands: from the run, or from the request to start it.

use crate::AgentError;
use countersign_api::{OwnRunView, RunAction, RunEndView, RunGrantView, RunStatus, Timestamp};
use countersign_core::decide::within_run::within_run;
use countersign_core::model::graph::Graph;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{Action, Workflow};
use countersign_core::model::request::{Request, RequestState, Subject};
use countersign_core::model::run::{Run, RunState};
use countersign_core::model::time::Time;
use countersign_core::model::words::Ending;
use countersign_engine::OwnRun;

/// What a declined start is called, for callers that compare texts.
pub(super) const CONSENT_DENIED: &str = "consent denied";

pub(super) fn describe_own_run(
    graph: Option<&Graph>,
    id: RunId,
    found: Option<&OwnRun>,
) -> Result<OwnRunView, AgentError> {
    match found.map(|found| (found, &found.run, &found.request)) {
        Some((found, Some(run), _)) => Ok(describe_run(graph, run, found)),
        Some((found, None, Some(request))) => describe_start(graph, id, request, found.now),
        Some((_, None, None)) | None => Err(AgentError::Unknown("run")),
    }
}

fn describe_run(graph: Option<&Graph>, run: &Run, found: &OwnRun) -> OwnRunView {
    let now = found.now;
    // No sweep may have recorded its end yet.
    let state = if run.is_over(now) { RunStatus::Ended } else { run.state.into() };
    let ended = match run.state {
        RunState::Ended(how) => Some(RunEndView { how, at: run.ended_at.map(Timestamp) }),
        RunState::Live | RunState::Suspended => None,
    };
    let grant = found.grant.as_ref().map(|grant| RunGrantView {
        grant_id: grant.id,
        in_force: grant.in_force(now) && state == RunStatus::Live,
        granted_turn: grant.granted_turn,
        ends_at: grant.ends_at.map(Timestamp),
    });
    let sentence = match (run.state, state) {
        (RunState::Ended(how), _) => format!("the run has ended: {how}"),
        (RunState::Suspended, RunStatus::Ended) => {
            "the run has ended: nobody took it up in time after a restart".to_owned()
        }
        (_, RunStatus::Suspended) => {
            "the daemon was restarted, and the run carries nothing until its agent reattaches it"
                .to_owned()
        }
        (_, RunStatus::Ended) => "the run has ended: nothing happened in it".to_owned(),
        (_, _) => "the run is live".to_owned(),
    };
    OwnRunView {
        run_id: run.id,
        workflow: run.workflow.clone(),
        state,
        sentence,
        error: None,
        note: found.request.as_ref().map_or_else(String::new, |request| request.note.clone()),
        request_id: found.request.as_ref().map(|request| request.id),
        step: run.step.clone(),
        actions: list_actions(graph, &run.workflow, &run.actions, now),
        grant,
        started_at: Some(Timestamp(run.started_at)),
        active_at: Some(Timestamp(run.active_at)),
        ends_at: (state != RunStatus::Ended).then_some(Timestamp(run.ends_at())),
        ended,
        last_plan_turn: run.last_plan_turn,
        deviations: run.deviations,
    }
}

/// A run that has not started: the request says why.
fn describe_start(
    graph: Option<&Graph>,
    run_id: RunId,
    request: &Request,
    now: Time,
) -> Result<OwnRunView, AgentError> {
    let Subject::Start(start) = &request.subject else { return Err(AgentError::Unknown("run")) };
    let (state, sentence) = match request.state {
        _ if request.is_open(now) => {
            (RunStatus::Pending, "the start of this run waits for an answer")
        }
        RequestState::Closed(Ending::Declined) => {
            (RunStatus::Declined, "consent denied: the operator declined the start of this run")
        }
        RequestState::Closed(Ending::Approved | Ending::Cancelled) => {
            (RunStatus::Cancelled, "the start of this run was withdrawn or cancelled")
        }
        RequestState::Open | RequestState::Closed(Ending::Expired) => {
            (RunStatus::Expired, "nobody answered the start of this run in time")
        }
    };
    Ok(OwnRunView {
        run_id,
        workflow: start.workflow.clone(),
        state,
        sentence: sentence.to_owned(),
        error: (state == RunStatus::Declined).then(|| CONSENT_DENIED.to_owned()),
        note: request.note.clone(),
        request_id: Some(request.id),
        step: None,
        actions: list_actions(graph, &start.workflow, &start.actions, now),
        grant: None,
        started_at: None,
        active_at: None,
        ends_at: (state == RunStatus::Pending).then_some(Timestamp(request.ends_at)),
        ended: None,
        last_plan_turn: None,
        deviations: 0,
    })
}

fn list_actions(
    graph: Option<&Graph>,
    workflow: &Workflow,
    actions: &[Action],
    now: Time,
) -> Vec<RunAction> {
    let describe = |action: &Action| RunAction {
        action: action.clone(),
        within_run: within_run(graph, workflow, action, now),
    };
    actions.iter().map(describe).collect()
}
