//! The operator's plane: requests, answers, grants, revocation, pause, events.

use crate::query::with_query;
use crate::{ClientError, Connection, Events};
use countersign_api::paths::{operator as paths, with_id};
use countersign_api::{
    AcknowledgeResponse, AddAgentRequest, AddAgentResponse, AgentView, AgentsResponse,
    AnswerRequest, AnswerResponse, ApplySuggestionRequest, BrowserSessionsResponse, CardView,
    CloseGestureRequest, CloseGestureResponse, ConfirmLoginRequest, ConfirmLoginResponse,
    DeliveryRequest, DueReviewsResponse, EmptyRequest, EndBrowserSessionRequest,
    EndBrowserSessionResponse, EndSessionReason, EndSessionRequest, EndSessionResponse,
    EventsQuery, GestureRequest, GestureResponse, GrantRequest, GrantResponse, GrantView,
    GrantsQuery, GrantsResponse, IdBeginning, IdKind, IdsQuery, IdsResponse, KeepGrantResponse,
    NoticeView, NoticesResponse, OpenDashboardResponse, PauseRequest, PauseResponse,
    PresenceRequest, PresenceResponse, ProposalActionResponse, ProposalView, ProposalsQuery,
    ProposalsResponse, ReconcileResponse, RecordedResponse, RenewTokenResponse, ReportResponse,
    RequestTextQuery, RequestTextResponse, RequestView, RequestsQuery, RequestsResponse,
    ResumeRequest, ResumeResponse, ReviewResponse, RevokeAgentResponse, RevokeRequest,
    RevokeResponse, RunView, SayRequest, SessionRequest, SessionsResponse, StatusResponse,
    SuggestionsQuery, SuggestionsResponse, TurnResponse, WorkflowsResponse,
};
use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::ids::{
    CallId, GestureId, GrantId, NoticeId, ProposalId, RequestId, RunId,
};
use countersign_core::model::names::{Agent, SessionName, SurfaceName};

/// The calls that only the operator can make.
#[derive(Clone, Debug)]
pub struct OperatorClient {
    connection: Connection,
}

impl OperatorClient {
    pub fn new(connection: Connection) -> Self {
        Self { connection }
    }

    pub fn status(&self) -> Result<StatusResponse, ClientError> {
        self.connection.fetch(paths::STATUS)
    }

    /// Every open request, over all pages, the oldest first.
    pub fn list_requests(&self) -> Result<Vec<CardView>, ClientError> {
        let mut cards = Vec::new();
        self.visit_requests(|card| cards.push(card))?;
        Ok(cards)
    }

    /// The same, one card at a time: only one page is in memory.
    pub fn visit_requests(&self, mut visit: impl FnMut(CardView)) -> Result<(), ClientError> {
        let mut query = RequestsQuery::default();
        loop {
            let page: RequestsResponse = self.connection.query(paths::REQUESTS, &query)?;
            // Otherwise a daemon that always sends empty pages would keep this loop running.
            if page.requests.is_empty() && page.next.is_some() {
                return Err(ClientError::Unreadable("a page of a list is empty".to_owned()));
            }
            page.requests.into_iter().for_each(&mut visit);
            match page.next {
                None => return Ok(()),
                Some(next) => query.after = Some(next),
            }
        }
    }

    pub fn request(&self, id: RequestId) -> Result<RequestView, ClientError> {
        self.connection.fetch(&with_id(paths::REQUEST, id))
    }

    /// The whole text of a request, from a line on.
    pub fn request_text(
        &self,
        id: RequestId,
        query: &RequestTextQuery,
    ) -> Result<RequestTextResponse, ClientError> {
        self.connection.query(&with_id(paths::REQUEST_TEXT, id), query)
    }

    pub fn answer_request(
        &self,
        id: RequestId,
        answer: &AnswerRequest,
    ) -> Result<AnswerResponse, ClientError> {
        self.connection.send(&with_id(paths::ANSWER, id), answer)
    }

    /// One page of grants.
    pub fn list_grants(&self, query: &GrantsQuery) -> Result<GrantsResponse, ClientError> {
        self.connection.query(paths::GRANTS, query)
    }

    pub fn grant(&self, id: GrantId) -> Result<GrantView, ClientError> {
        self.connection.fetch(&with_id(paths::GRANT, id))
    }

    /// What was asked often and always approved, and what would end it.
    pub fn list_suggestions(
        &self,
        query: &SuggestionsQuery,
    ) -> Result<SuggestionsResponse, ClientError> {
        self.connection.query(paths::SUGGESTIONS, query)
    }

    /// Gives a suggested grant.
    pub fn apply_suggestion(
        &self,
        request: &ApplySuggestionRequest,
    ) -> Result<GrantResponse, ClientError> {
        self.connection.send(paths::APPLY_SUGGESTION, request)
    }

    pub fn add_grant(&self, request: &GrantRequest) -> Result<GrantResponse, ClientError> {
        self.connection.send(paths::GRANTS, request)
    }

    /// Keeps a project's grant at its review.
    pub fn keep_grant(&self, id: GrantId) -> Result<KeepGrantResponse, ClientError> {
        self.connection.send(&with_id(paths::KEEP_GRANT, id), &EmptyRequest {})
    }

    pub fn revoke(&self, request: &RevokeRequest) -> Result<RevokeResponse, ClientError> {
        self.connection.send(paths::REVOKE, request)
    }

    pub fn list_workflows(&self) -> Result<WorkflowsResponse, ClientError> {
        self.connection.fetch(paths::WORKFLOWS)
    }

    /// Ends the runs of a session that a restart left behind.
    pub fn reconcile(&self, session: &SessionName) -> Result<ReconcileResponse, ClientError> {
        let request = SessionRequest { session: session.clone() };
        self.connection.send(paths::RECONCILE, &request)
    }

    pub fn run(&self, id: RunId) -> Result<RunView, ClientError> {
        self.connection.fetch(&with_id(paths::RUN, id))
    }

    /// Attests that a call was never started. Its approval becomes valid again.
    pub fn report_nothing_happened(
        &self,
        id: CallId,
        session: &SessionName,
    ) -> Result<ReportResponse, ClientError> {
        let request = SessionRequest { session: session.clone() };
        self.connection.send(&with_id(paths::NOTHING_HAPPENED, id), &request)
    }

    /// The ids that start or end with this beginning.
    pub fn find_ids(
        &self,
        kind: IdKind,
        beginning: IdBeginning,
    ) -> Result<Vec<String>, ClientError> {
        let found: IdsResponse =
            self.connection.query(paths::IDS, &IdsQuery { kind, beginning })?;
        Ok(found.ids)
    }

    pub fn list_sessions(&self) -> Result<SessionsResponse, ClientError> {
        self.connection.fetch(paths::SESSIONS)
    }

    pub fn end_session(&self, session: &SessionName) -> Result<EndSessionResponse, ClientError> {
        let request =
            EndSessionRequest { session: session.clone(), reason: EndSessionReason::Ended };
        self.connection.send(paths::END_SESSION, &request)
    }

    pub fn pause(&self, agent: &Agent) -> Result<PauseResponse, ClientError> {
        self.connection.send(paths::PAUSE, &PauseRequest { agent: agent.clone() })
    }

    pub fn resume(&self, agent: &Agent) -> Result<ResumeResponse, ClientError> {
        self.connection.send(paths::RESUME, &ResumeRequest { agent: agent.clone() })
    }

    pub fn report_presence(
        &self,
        request: &PresenceRequest,
    ) -> Result<PresenceResponse, ClientError> {
        self.connection.send(paths::PRESENCE, request)
    }

    /// Every notice that nobody has acknowledged, the oldest first.
    pub fn list_notices(&self) -> Result<Vec<NoticeView>, ClientError> {
        let found: NoticesResponse = self.connection.fetch(paths::NOTICES)?;
        Ok(found.notices)
    }

    pub fn acknowledge_notice(&self, id: NoticeId) -> Result<AcknowledgeResponse, ClientError> {
        self.connection.send(&with_id(paths::ACKNOWLEDGE_NOTICE, id), &EmptyRequest {})
    }

    pub fn due_reviews(&self) -> Result<DueReviewsResponse, ClientError> {
        self.connection.fetch(paths::REVIEW)
    }

    /// Records that the graph and its project grants were reviewed.
    pub fn record_review(&self) -> Result<ReviewResponse, ClientError> {
        self.connection.send(paths::REVIEW, &EmptyRequest {})
    }

    /// One page of proposals.
    pub fn list_proposals(&self, query: &ProposalsQuery) -> Result<ProposalsResponse, ClientError> {
        self.connection.query(paths::PROPOSALS, query)
    }

    pub fn proposal(&self, id: ProposalId) -> Result<ProposalView, ClientError> {
        self.connection.fetch(&with_id(paths::PROPOSAL, id))
    }

    /// Applies a proposal that is approved and has cooled.
    pub fn apply_proposal(&self, id: ProposalId) -> Result<ProposalActionResponse, ClientError> {
        self.connection.send(&with_id(paths::APPLY_PROPOSAL, id), &EmptyRequest {})
    }

    pub fn veto_proposal(&self, id: ProposalId) -> Result<ProposalActionResponse, ClientError> {
        self.connection.send(&with_id(paths::VETO_PROPOSAL, id), &EmptyRequest {})
    }

    pub fn undo_proposal(&self, id: ProposalId) -> Result<ProposalActionResponse, ClientError> {
        self.connection.send(&with_id(paths::UNDO_PROPOSAL, id), &EmptyRequest {})
    }

    /// Adds a message of the operator to a session.
    pub fn say(&self, request: &SayRequest) -> Result<TurnResponse, ClientError> {
        self.connection.send(paths::SAY, request)
    }

    pub fn report_gesture(&self, request: &GestureRequest) -> Result<GestureResponse, ClientError> {
        self.connection.send(paths::GESTURES, request)
    }

    /// Closes a click: what follows is not covered any more.
    pub fn close_gesture(
        &self,
        id: GestureId,
        request: &CloseGestureRequest,
    ) -> Result<CloseGestureResponse, ClientError> {
        self.connection.send(&with_id(paths::CLOSE_GESTURE, id), request)
    }

    /// Reports that a surface has shown something.
    pub fn report_delivery(
        &self,
        request: &DeliveryRequest,
    ) -> Result<RecordedResponse, ClientError> {
        self.connection.send(paths::DELIVERIES, request)
    }

    /// Reports how much of a request a surface has shown.
    pub fn report_shown(
        &self,
        request: RequestId,
        surface: &SurfaceName,
        shown: Extent,
    ) -> Result<RecordedResponse, ClientError> {
        self.report_delivery(&DeliveryRequest {
            request: Some(request),
            notice: None,
            surface: surface.clone(),
            evidence: Evidence::Requested,
            shown,
        })
    }

    /// The whole text of a request, over all pages.
    pub fn whole_text(&self, id: RequestId) -> Result<Vec<String>, ClientError> {
        let (mut lines, mut query) = (Vec::new(), RequestTextQuery::default());
        loop {
            let page = self.request_text(id, &query)?;
            lines.extend(page.lines);
            match page.next {
                Some(next) if next.number() > query.from.number() => query.from = next,
                Some(_) => {
                    return Err(ClientError::Unreadable("a page does not go on".to_owned()));
                }
                None => return Ok(lines),
            }
        }
    }

    pub fn events(&self, query: &EventsQuery) -> Result<Events, ClientError> {
        self.connection.open_stream(&with_query(paths::EVENTS, query)?).map(Events::new)
    }

    pub fn list_agents(&self) -> Result<Vec<AgentView>, ClientError> {
        let found: AgentsResponse = self.connection.fetch(paths::AGENTS)?;
        Ok(found.agents)
    }

    /// Issues a token to an agent. Only this response contains it.
    pub fn add_agent(&self, request: &AddAgentRequest) -> Result<AddAgentResponse, ClientError> {
        self.connection.send(paths::AGENTS, request)
    }

    pub fn revoke_agent(&self, agent: &Agent) -> Result<RevokeAgentResponse, ClientError> {
        self.connection.send(&with_id(paths::REVOKE_AGENT, agent), &EmptyRequest {})
    }

    /// Replaces the operator's own token.
    /// Starts a login: its page shows the characters for `confirm_login`.
    pub fn open_dashboard(&self) -> Result<OpenDashboardResponse, ClientError> {
        self.connection.send(paths::OPEN_DASHBOARD, &EmptyRequest {})
    }

    pub fn confirm_login(
        &self,
        confirmed: &ConfirmLoginRequest,
    ) -> Result<ConfirmLoginResponse, ClientError> {
        self.connection.send(paths::CONFIRM_LOGIN, confirmed)
    }

    /// The browsers in which the dashboard is open.
    pub fn list_browser_sessions(&self) -> Result<BrowserSessionsResponse, ClientError> {
        self.connection.fetch(paths::BROWSER_SESSIONS)
    }

    pub fn end_browser_session(
        &self,
        ended: &EndBrowserSessionRequest,
    ) -> Result<EndBrowserSessionResponse, ClientError> {
        self.connection.send(paths::END_BROWSER_SESSION, ended)
    }

    pub fn renew_operator_token(&self) -> Result<RenewTokenResponse, ClientError> {
        self.connection.send(paths::RENEW_OPERATOR_TOKEN, &EmptyRequest {})
    }
}
