//! Runs of workflows.

use crate::api::{By, Shared};
use crate::body::{Body, Id};
use crate::fault::Fault;
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    RunAttendance, RunResponse, RunStatus, SessionRequest, StartRunRequest, StartRunResponse,
};
use countersign_core::decide::explain;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::request::Attendance;
use countersign_core::model::words::RunEnding;
use countersign_engine::SessionOwner;

pub(super) async fn start(
    State(daemon): Shared,
    Extension(caller): By,
    Body(asked): Body<StartRunRequest>,
) -> Result<Json<StartRunResponse>, Fault> {
    caller.observes("project", asked.project.as_ref())?;
    caller.observes("gesture", asked.gesture.as_ref())?;
    let draft = StartDraft {
        session: asked.session,
        agent: caller.agent,
        project: asked.project,
        workflow: asked.workflow,
        attendance: match asked.attendance {
            RunAttendance::Attended => Attendance::Attended,
            RunAttendance::Headless => Attendance::Headless,
        },
        gesture: asked.gesture,
        parking: daemon.parking(asked.park),
    };
    let (run_id, decision) = daemon.run(move |engine| engine.start_run(&draft)).await?;
    let (outcome, reason) = (decision.outcome, decision.reason);
    Ok(Json(StartRunResponse { run_id, outcome, reason, sentence: explain::sentence(&decision) }))
}

pub(super) async fn end(
    State(daemon): Shared,
    Extension(caller): By,
    Id(run_id): Id<RunId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<RunResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let ended =
        daemon.run(move |engine| engine.end_run(run_id, &owner, RunEnding::Completed)).await?;
    match ended {
        true => Ok(Json(RunResponse { run_id, state: RunStatus::Ended })),
        false => Err(Fault::unknown("run")),
    }
}

pub(super) async fn reattach(
    State(daemon): Shared,
    Extension(caller): By,
    Id(run_id): Id<RunId>,
    Body(SessionRequest { session }): Body<SessionRequest>,
) -> Result<Json<RunResponse>, Fault> {
    let owner = SessionOwner::new(session, caller.agent);
    let taken_up = daemon.run(move |engine| engine.reattach_run(run_id, &owner)).await?;
    match taken_up {
        true => Ok(Json(RunResponse { run_id, state: RunStatus::Live })),
        false => Err(Fault::conflict("this run cannot be taken up again", "start a new one")),
    }
}
