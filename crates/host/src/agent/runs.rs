//! Runs of workflows: start, wait, read, cancel, end, continue after a restart.

use super::run_view::{CONSENT_DENIED, describe_own_run};
use crate::HostEngine;
use crate::{AgentError, Host};
use countersign_api::{OwnRunView, RunResponse, RunStatus, StartRunResponse, StartStatus};
use countersign_conversation::announce_run_end;
use countersign_core::decide::explain;
use countersign_core::model::call::Parking;
use countersign_core::model::decision::Decision;
use countersign_core::model::draft::StartDraft;
use countersign_core::model::ids::RunId;
use countersign_core::model::names::Workflow;
use countersign_core::model::request::Attendance;
use countersign_core::model::run::{RunState, TaskTitle};
use countersign_core::model::words::{Outcome, Reason, RunEnding};
use countersign_engine::{EngineError, OwnRun, SessionOwner};
use std::time::Duration;

impl Host {
    /// Starts a run, or asks whether it may start and waits for the answer.
    pub async fn start_run(
        &self,
        mut draft: StartDraft,
        wait: Duration,
    ) -> Result<StartRunResponse, AgentError> {
        draft.parking = self.limit_parking(draft.parking);
        let owner = SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() };
        let (run, decision) = self.run(move |engine| engine.start_run(&draft)).await?;
        let decided = describe_decision(run, &decision);
        match decision.outcome {
            Outcome::Deny => Ok(decided),
            Outcome::Allow | Outcome::Notify | Outcome::Ask => {
                Ok(decided.updated(&self.wait_for_start(run, &owner, wait).await?))
            }
        }
    }

    /// An own run or its start, after a wait for the answer to it.
    pub async fn wait_for_start(
        &self,
        id: RunId,
        owner: &SessionOwner,
        limit: Duration,
    ) -> Result<OwnRunView, AgentError> {
        let reader = owner.clone();
        let read = move |engine: &HostEngine| engine.read_own_run(id, &reader);
        let is_waiting = |found: &Option<OwnRun>| found.as_ref().is_some_and(OwnRun::is_waiting);
        let found = self.wait_while(owner, limit, read, is_waiting).await?;
        describe_own_run(self.graph()?.as_deref(), id, found.as_ref())
    }

    /// Ends an own run as cancelled, or withdraws its start.
    pub async fn cancel_run(
        &self,
        id: RunId,
        owner: &SessionOwner,
    ) -> Result<RunResponse, AgentError> {
        self.change_run(id, owner, move |engine, owner| engine.cancel_run(id, owner)).await?;
        let state = self.wait_for_start(id, owner, Duration::ZERO).await?.state;
        Ok(RunResponse::new(id, state))
    }

    /// Ends an own run as completed. The reply has the line that announces what ended with it.
    pub async fn end_run(
        &self,
        id: RunId,
        owner: &SessionOwner,
    ) -> Result<RunResponse, AgentError> {
        let how = RunEnding::Completed;
        self.change_run(id, owner, move |engine, owner| engine.end_run(id, owner, how)).await?;
        let announcements = announce_run_end(how).map(str::to_owned).into_iter().collect();
        Ok(RunResponse { run_id: id, state: RunStatus::Ended, announcements })
    }

    /// Continues an own run after a restart.
    pub async fn reattach_run(
        &self,
        id: RunId,
        owner: &SessionOwner,
    ) -> Result<RunResponse, AgentError> {
        self.change_run(id, owner, move |engine, owner| engine.reattach_run(id, owner)).await?;
        Ok(RunResponse::new(id, RunStatus::Live))
    }

    /// Starts the run that stands for a session's task, unless one is live, with this title. What would ask is not
    /// started: a task is a frame for consent and needs none itself.
    pub async fn ensure_task(
        &self,
        owner: &SessionOwner,
        workflow: Workflow,
        title: Option<TaskTitle>,
    ) -> Result<(), AgentError> {
        if !self.graph()?.is_some_and(|graph| graph.workflows.contains_key(&workflow)) {
            return Ok(());
        }
        if let Some(run) = self.program_calls().task(&owner.session) {
            let found = self.run(move |engine| engine.read_run(run)).await?;
            if found.is_some_and(|run| run.state == RunState::Live) {
                return Ok(());
            }
        }
        let draft = StartDraft {
            session: owner.session.clone(),
            agent: owner.agent.clone(),
            project: None,
            workflow,
            attendance: Attendance::Attended,
            gesture: None,
            parking: Parking::Refused,
            title,
        };
        let (run, decision) = self.run(move |engine| engine.start_run(&draft)).await?;
        if matches!(decision.outcome, Outcome::Allow | Outcome::Notify) {
            self.program_calls().set_task(&owner.session, run);
        }
        Ok(())
    }

    /// Carries out a step that says whether the run could be changed. If not, the error says why.
    async fn change_run(
        &self,
        id: RunId,
        owner: &SessionOwner,
        change: impl FnOnce(&HostEngine, &SessionOwner) -> Result<bool, EngineError> + Send + 'static,
    ) -> Result<(), AgentError> {
        let changer = owner.clone();
        if self.run(move |engine| change(engine, &changer)).await? {
            return Ok(());
        }
        let OwnRunView { state, sentence, .. } =
            self.wait_for_start(id, owner, Duration::ZERO).await?;
        Err(AgentError::Run { state, sentence })
    }
}

/// The reply if nobody was asked.
fn describe_decision(run_id: RunId, decision: &Decision) -> StartRunResponse {
    let is_declined = decision.reason == Reason::DeclinedBefore;
    StartRunResponse {
        run_id,
        status: if is_declined { StartStatus::Declined } else { StartStatus::Denied },
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(decision),
        error: is_declined.then(|| CONSENT_DENIED.to_owned()),
        note: if is_declined { decision.note.clone() } else { String::new() },
        request_id: None,
        grant_id: None,
    }
}
