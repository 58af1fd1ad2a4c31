//! The agents' plane: check calls, wait, ask ahead, report. No method approves, grants or revokes.

use crate::{ClientError, Connection};
use countersign_api::paths::{agent as paths, with_id};
use countersign_api::{
    ApplicationGestureRequest, ApplicationView, AskAheadRequest, AskAheadResponse, CheckRequest,
    CheckResponse, CloseApplicationGestureRequest, CloseGestureResponse, ConsentResponse,
    EndSessionReason, EndSessionRequest, EndSessionResponse, GestureResponse, HandOverRequest,
    HandOverResponse, MoveRequest, OperationResponse, OutcomeRequest, OwnRunView, PlanRequest,
    PlanResponse, ProgramDeclineRequest, ProgramOutcomeRequest, ProposalActionResponse,
    ProposalRequest, ProposalResponse, ProposalView, RecordRequest, RecordedResponse, RecordsQuery,
    RecordsResponse, ReportResponse, ReportedEffect, RunResponse, SessionQuery, SessionRequest,
    StartRunRequest, StartRunResponse, StoredCallResponse, SubAgentRequest, SubAgentResponse,
    TurnRequest, TurnResponse, WaitRequest, WithdrawnResponse,
};
use countersign_core::model::ids::{CallId, GestureId, ProposalId, RequestId, RunId};
use countersign_core::model::names::SessionName;

/// The calls that an agent or an adapter can make.
#[derive(Clone, Debug)]
pub struct AgentClient {
    connection: Connection,
}

impl AgentClient {
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    /// Decides a call, and waits for an answer as long as the request says.
    pub fn check(&self, request: &CheckRequest) -> Result<CheckResponse, ClientError> {
        self.connection.send(paths::CHECK, request)
    }

    pub fn ask_ahead(&self, request: &AskAheadRequest) -> Result<AskAheadResponse, ClientError> {
        self.connection.send(paths::ASK_AHEAD, request)
    }

    /// An own question and its answer.
    pub fn question(
        &self,
        id: RequestId,
        session: &SessionName,
    ) -> Result<AskAheadResponse, ClientError> {
        let query = SessionQuery { session: session.clone() };
        self.connection.query(&with_id(paths::QUESTION, id), &query)
    }

    pub fn wait_for_question(
        &self,
        id: RequestId,
        request: &WaitRequest,
    ) -> Result<AskAheadResponse, ClientError> {
        self.connection.send(&with_id(paths::WAIT_FOR_QUESTION, id), request)
    }

    pub fn cancel_question(
        &self,
        id: RequestId,
        session: &SessionName,
    ) -> Result<WithdrawnResponse, ClientError> {
        self.connection.send(&with_id(paths::CANCEL_QUESTION, id), &session_request(session))
    }

    /// The agent's grants in force, its open requests and its unfinished calls.
    pub fn list_consent(&self, session: &SessionName) -> Result<ConsentResponse, ClientError> {
        self.connection.query(paths::CONSENT, &SessionQuery { session: session.clone() })
    }

    pub fn operation(
        &self,
        id: CallId,
        session: &SessionName,
    ) -> Result<OperationResponse, ClientError> {
        let query = SessionQuery { session: session.clone() };
        self.connection.query(&with_id(paths::OPERATION, id), &query)
    }

    /// Waits for an answer. Only `retry` redeems it.
    pub fn wait(
        &self,
        id: CallId,
        request: &WaitRequest,
    ) -> Result<OperationResponse, ClientError> {
        self.connection.send(&with_id(paths::WAIT, id), request)
    }

    /// An own call as it is on record.
    pub fn stored_call(
        &self,
        id: CallId,
        session: &SessionName,
    ) -> Result<StoredCallResponse, ClientError> {
        let query = SessionQuery { session: session.clone() };
        self.connection.query(&with_id(paths::STORED_CALL, id), &query)
    }

    /// The application that the credential stands for.
    pub fn application(&self) -> Result<ApplicationView, ClientError> {
        self.connection.fetch(paths::APPLICATION)
    }

    /// Records a click in the application. Only a credential with the right to it can.
    pub fn open_gesture(
        &self,
        request: &ApplicationGestureRequest,
    ) -> Result<GestureResponse, ClientError> {
        self.connection.send(paths::GESTURES, request)
    }

    pub fn close_gesture(
        &self,
        id: GestureId,
        request: &CloseApplicationGestureRequest,
    ) -> Result<CloseGestureResponse, ClientError> {
        self.connection.send(&with_id(paths::CLOSE_GESTURE, id), request)
    }

    /// Decides a parked call again.
    pub fn retry(&self, id: CallId, session: &SessionName) -> Result<CheckResponse, ClientError> {
        self.connection.send(&with_id(paths::RETRY, id), &session_request(session))
    }

    pub fn cancel(&self, id: CallId, session: &SessionName) -> Result<ReportResponse, ClientError> {
        self.connection.send(&with_id(paths::CANCEL, id), &session_request(session))
    }

    pub fn report_outcome(
        &self,
        id: CallId,
        session: &SessionName,
        effect: ReportedEffect,
    ) -> Result<ReportResponse, ClientError> {
        let request = OutcomeRequest { session: session.clone(), effect };
        self.connection.send(&with_id(paths::OUTCOME, id), &request)
    }

    /// Reports how a call ended, by the name that the calling program gives it.
    pub fn report_program_outcome(
        &self,
        request: &ProgramOutcomeRequest,
    ) -> Result<ReportResponse, ClientError> {
        self.connection.send(paths::PROGRAM_OUTCOME, request)
    }

    /// Reports a no in the calling program's own prompt.
    pub fn report_program_decline(
        &self,
        request: &ProgramDeclineRequest,
    ) -> Result<ReportResponse, ClientError> {
        self.connection.send(paths::PROGRAM_DECLINE, request)
    }

    pub fn start_run(&self, request: &StartRunRequest) -> Result<StartRunResponse, ClientError> {
        self.connection.send(paths::RUNS, request)
    }

    /// An own run, or the start of one.
    pub fn run(&self, id: RunId, session: &SessionName) -> Result<OwnRunView, ClientError> {
        let query = SessionQuery { session: session.clone() };
        self.connection.query(&with_id(paths::RUN, id), &query)
    }

    /// Waits until the start of a run is answered.
    pub fn wait_for_run(
        &self,
        id: RunId,
        request: &WaitRequest,
    ) -> Result<OwnRunView, ClientError> {
        self.connection.send(&with_id(paths::WAIT_FOR_RUN, id), request)
    }

    /// Ends a run as cancelled, or withdraws its start.
    pub fn cancel_run(&self, id: RunId, session: &SessionName) -> Result<RunResponse, ClientError> {
        self.connection.send(&with_id(paths::CANCEL_RUN, id), &session_request(session))
    }

    pub fn end_run(&self, id: RunId, session: &SessionName) -> Result<RunResponse, ClientError> {
        self.connection.send(&with_id(paths::END_RUN, id), &session_request(session))
    }

    pub fn reattach_run(
        &self,
        id: RunId,
        session: &SessionName,
    ) -> Result<RunResponse, ClientError> {
        self.connection.send(&with_id(paths::REATTACH_RUN, id), &session_request(session))
    }

    pub fn end_session(&self, session: &SessionName) -> Result<EndSessionResponse, ClientError> {
        self.send_end(session, EndSessionReason::Ended)
    }

    /// Reports that the program goes on with an empty conversation in another session.
    pub fn clear_session(&self, session: &SessionName) -> Result<EndSessionResponse, ClientError> {
        self.send_end(session, EndSessionReason::Cleared)
    }

    fn send_end(
        &self,
        session: &SessionName,
        reason: EndSessionReason,
    ) -> Result<EndSessionResponse, ClientError> {
        let request = EndSessionRequest { session: session.clone(), reason };
        self.connection.send(paths::END_SESSION, &request)
    }

    /// Reports a message of the operator.
    pub fn report_turn(&self, request: &TurnRequest) -> Result<TurnResponse, ClientError> {
        self.connection.send(paths::TURNS, request)
    }

    pub fn report_plan(&self, request: &PlanRequest) -> Result<PlanResponse, ClientError> {
        self.connection.send(paths::PLANS, request)
    }

    /// Reports a change of topic or context.
    pub fn report_move(&self, request: &MoveRequest) -> Result<RecordedResponse, ClientError> {
        self.connection.send(paths::MOVED, request)
    }

    /// Says that an own session is that of a sub-agent.
    pub fn join_session(&self, request: &SubAgentRequest) -> Result<SubAgentResponse, ClientError> {
        self.connection.send(paths::SUB_AGENT, request)
    }

    pub fn hand_over(&self, request: &HandOverRequest) -> Result<HandOverResponse, ClientError> {
        self.connection.send(paths::HAND_OVER, request)
    }

    /// Adds a claim of the agent to the ledger.
    pub fn add_record(&self, request: &RecordRequest) -> Result<RecordedResponse, ClientError> {
        self.connection.send(paths::LEDGER, request)
    }

    /// One page of the agent's own claims.
    pub fn list_records(&self, query: &RecordsQuery) -> Result<RecordsResponse, ClientError> {
        self.connection.query(paths::LEDGER, query)
    }

    pub fn propose(&self, request: &ProposalRequest) -> Result<ProposalResponse, ClientError> {
        self.connection.send(paths::PROPOSALS, request)
    }

    pub fn proposal(
        &self,
        id: ProposalId,
        session: &SessionName,
    ) -> Result<ProposalView, ClientError> {
        let query = SessionQuery { session: session.clone() };
        self.connection.query(&with_id(paths::PROPOSAL_STATE, id), &query)
    }

    /// Applies a proposal that the operator approved.
    pub fn apply_proposal(
        &self,
        id: ProposalId,
        session: &SessionName,
    ) -> Result<ProposalActionResponse, ClientError> {
        self.connection.send(&with_id(paths::APPLY_PROPOSAL, id), &session_request(session))
    }
}

fn session_request(session: &SessionName) -> SessionRequest {
    SessionRequest { session: session.clone() }
}
