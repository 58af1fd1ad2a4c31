//! A call after its decision: how it stands, withdrawing it, reporting how it ended.

use crate::{AgentError, Host};
use countersign_api::{CheckResponse, CheckStatus, OperationState, RecordedState, ReportResponse};
use countersign_core::decide::explain;
use countersign_core::model::ids::CallId;
use countersign_core::state::CallState;
use countersign_engine::{AgentReport, CallUpdate, CheckResult, Completion, SessionOwner};
use std::time::Duration;

/// The reply to an agent that executes its own call: it stands for the permit.
pub fn describe_check(checked: CheckResult) -> CheckResponse {
    let decision = checked.decision();
    CheckResponse {
        status: match &checked {
            CheckResult::Allowed { .. } => CheckStatus::Allowed,
            CheckResult::AlreadyDone { .. } => CheckStatus::AlreadyDone,
            CheckResult::Pending { .. } => CheckStatus::Pending,
            CheckResult::Denied { .. } => CheckStatus::Denied,
        },
        outcome: decision.outcome,
        reason: decision.reason,
        sentence: explain::sentence(decision),
        operation_id: checked.call(),
        note: decision.note.clone(),
        announcements: checked.announced().to_vec(),
        narrowed: checked.narrowed().cloned().map(Box::new),
        input: None,
        question: None,
        parent_token: None,
    }
}

impl Host {
    /// The state of an own call, after a wait for its answer. It does not redeem the answer.
    pub async fn read_operation(
        &self,
        call: CallId,
        owner: &SessionOwner,
        wait: Duration,
    ) -> Result<CallState, AgentError> {
        let state = self.wait_for_answer(call, owner, wait).await?;
        state.ok_or(AgentError::Unknown("operation"))
    }

    /// Withdraws the question about an own call.
    pub async fn cancel_operation(
        &self,
        call: CallId,
        owner: SessionOwner,
    ) -> Result<ReportResponse, AgentError> {
        let update = self.run(move |engine| engine.cancel(call, &owner)).await?;
        describe_update(call, update, "its question is not open any more")
    }

    /// Records how a call ended, as the agent that executed it says.
    pub async fn report_outcome(
        &self,
        call: CallId,
        owner: SessionOwner,
        report: AgentReport,
    ) -> Result<ReportResponse, AgentError> {
        self.record_outcome(call, Completion::reported(call, owner, report)).await
    }

    /// Records how a call ended, as the agent or our own executor reports it.
    pub async fn record_outcome(
        &self,
        call: CallId,
        completion: Completion,
    ) -> Result<ReportResponse, AgentError> {
        let update = self.complete(completion).await?;
        describe_update(call, update, "the call is not running")
    }
}

fn describe_update(
    operation_id: CallId,
    update: CallUpdate,
    too_late: &str,
) -> Result<ReportResponse, AgentError> {
    match update {
        CallUpdate::Recorded => Ok(ReportResponse { operation_id, state: RecordedState::Recorded }),
        CallUpdate::TooLate(state) => {
            let state = OperationState::from(state);
            Err(AgentError::CallOver(format!("{too_late}: its state is {state}")))
        }
        CallUpdate::Unknown => Err(AgentError::Unknown("operation")),
    }
}
