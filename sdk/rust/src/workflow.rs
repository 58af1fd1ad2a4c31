//! Runs of a workflow that the graph declares: one question for the whole procedure.

use crate::call::to_millis;
use crate::place::{Place, run_at};
use crate::{Application, Error};
use countersign_api::{
    Millis, ParkPolicy, RunAttendance, RunStatus, StartRunRequest, StartStatus, WaitRequest,
};
use countersign_core::model::ids::RunId;
use countersign_core::model::names::{StepName, Workflow};
use std::sync::Arc;
use std::time::Duration;

/// One wait of the daemon; it accepts five minutes.
const POLL: Duration = Duration::from_secs(280);

/// A run that has started. Dropped without `complete`, it is cancelled.
#[must_use]
#[derive(Debug)]
pub struct WorkflowRun {
    application: Arc<Application>,
    run: RunId,
    step: Option<StepName>,
    is_complete: bool,
}

/// Starts a run, or asks whether it may and waits for the answer.
pub fn start_workflow(name: &str) -> Result<WorkflowRun, Error> {
    let application = Application::current()?;
    let workflow =
        Workflow::parse(name).map_err(|error| Error::denied("malformed", error.to_string()))?;
    let session = application.session.clone();
    let request = StartRunRequest {
        session: session.clone(),
        project: None,
        workflow,
        gesture: None,
        attendance: RunAttendance::default(),
        park: ParkPolicy::Allowed,
        wait_ms: Millis::default(),
    };
    let mut started =
        application.client(Duration::ZERO).start_run(&request).map_err(Error::from_client)?;
    while started.status == StartStatus::Pending {
        let wait = WaitRequest { session: session.clone(), wait_ms: to_millis(POLL) };
        let view = application.client(POLL).wait_for_run(started.run_id, &wait);
        let view = view.map_err(Error::from_client)?;
        if view.state != RunStatus::Pending {
            started = started.updated(&view);
        }
    }
    if started.status != StartStatus::Started {
        return Err(Error::Denied {
            reason: started.error.unwrap_or_else(|| started.reason.word().to_owned()),
            sentence: started.sentence,
            note: started.note,
            rule: name.to_owned(),
            operation_id: None,
        });
    }
    Ok(WorkflowRun { application, run: started.run_id, step: None, is_complete: false })
}

impl WorkflowRun {
    /// The calls that follow belong to this step.
    pub fn step(&mut self, name: &str) -> Result<(), Error> {
        let step =
            StepName::parse(name).map_err(|error| Error::denied("malformed", error.to_string()))?;
        self.step = Some(step);
        Ok(())
    }

    /// Runs calls that belong to the run.
    pub fn run<T>(&self, run: impl FnOnce() -> T) -> T {
        run_at(Place { run: Some((self.run, self.step.clone())), ..Place::current() }, run)
    }

    /// Ends the run as completed.
    pub fn complete(mut self) {
        self.is_complete = true;
    }
}

impl Drop for WorkflowRun {
    fn drop(&mut self) {
        let (client, session) =
            (self.application.client(Duration::ZERO), &self.application.session);
        // A run that cannot be ended ends when it has been idle.
        let _open = match self.is_complete {
            true => client.end_run(self.run, session),
            false => client.cancel_run(self.run, session),
        };
    }
}
