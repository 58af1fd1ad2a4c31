//! Calls of coding agents' programs: the hooks of one program ask about one call several times, show
//! its question themselves, and report afterwards what became of it.
//!
//! Only an adapter gets here. Nothing is approved by what a program says; where the program's own
//! prompt was the surface, the answer that was given there is put on record.

use crate::Daemon;
use crate::convert::check_response;
use crate::error::ApiError;
use crate::extract::JsonBody;
use crate::peers::CallerKind;
use crate::routes::{CallerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    Answerable, CheckResponse, CheckStatus, ProgramCall, ProgramOutcomeRequest, PromptUse,
    QuestionView, ReportResponse, Sighting, SurfaceReach,
};
use countersign_card::{CardContext, build_card, render_question};
use countersign_core::model::call::CallDraft;
use countersign_core::model::delivery::{Delivery, Evidence, Extent, Shown};
use countersign_core::model::grant::Confirmation;
use countersign_core::model::ids::{CallId, RequestId};
use countersign_core::model::names::{SurfaceName, Tool};
use countersign_core::model::request::{Answer, AnswerFrom, Say};
use countersign_core::model::words::{Assurance, Choice, Outcome, Reason, Risk};
use countersign_core::state::CallState;
use countersign_engine::{AnswerTarget, Completion, SessionOwner};
use countersign_host::{NamedCall, ProgramPrompt};
use serde_json::Value;
use std::time::Duration;

use super::operations::{agent_report, report_response};

/// Decides a call that a program's hook asks about, or answers with the decision that stands.
pub(super) async fn check_program_call(
    daemon: &Daemon,
    mut draft: CallDraft,
    named: ProgramCall,
    wait: Duration,
) -> Result<CheckResponse, ApiError> {
    let owner = SessionOwner { session: draft.session.clone(), agent: draft.agent.clone() };
    let Some(tool) = draft.tool.clone() else {
        let remedy = "name the tool that the program calls";
        return Err(ApiError::invalid("the program's call names no tool", remedy));
    };
    let calls = daemon.host.program_calls();
    draft.run = draft.run.or_else(|| calls.task(&owner.session));
    draft.observed.gesture = draft.observed.gesture.or_else(|| calls.gesture(&owner.session));
    let (id, args) = (named.id.map(String::from), draft.args.clone());
    let earlier = match named.sighting {
        Sighting::First => None,
        Sighting::Again => {
            let named = NamedCall { id: id.as_deref(), tool: &tool, args: &args };
            daemon.host.program_calls().find_again(&owner.session, named)
        }
    };
    let prompt = match named.prompt {
        PromptUse::Shown => ProgramPrompt::Shown,
        PromptUse::Absent => ProgramPrompt::Absent,
    };
    let response = match earlier {
        Some(call) => daemon.repeat_decision(call, &owner, wait).await?,
        None => {
            let response = daemon.host.check_and_wait(draft, wait, check_response).await?;
            if let Some(call) = response.operation_id {
                let named = NamedCall { id: id.as_deref(), tool: &tool, args: &args };
                daemon.host.program_calls().add(&owner.session, named, (call, prompt));
            }
            response
        }
    };
    daemon.add_question(response).await
}

/// The program's tool has ended. If its question was still open, the operator has answered it in the
/// program's own prompt: otherwise the program would not have run the tool.
pub(super) async fn report_program_outcome(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    JsonBody(body): JsonBody<ProgramOutcomeRequest>,
) -> Result<Json<ReportResponse>, ApiError> {
    if caller.kind != CallerKind::Adapter {
        let remedy = "report the end of the operation by its id";
        return Err(ApiError::forbidden("only an adapter speaks for a program", remedy));
    }
    let owner = SessionOwner::new(&body.session, caller.agent);
    let id = body.id.as_ref().map(|id| id.as_str());
    let call = daemon.find_program_call(&owner, id, (&body.tool, &body.args));
    let call = call.ok_or_else(|| ApiError::unknown("operation"))?;
    let reader = owner.clone();
    let state = daemon.run(move |engine| engine.call_state(call, &reader)).await?;
    if state == Some(CallState::Parked) && daemon.host.program_calls().is_shown_in_program(call) {
        daemon.record_answer_in_program(call, &owner).await?;
    }
    if daemon.host.program_calls().is_taken_over(call) {
        return report_response(call, countersign_engine::CallUpdate::Recorded, "");
    }
    let completion = Completion::reported(call, owner, agent_report(body.effect));
    let update = daemon.host.complete(completion).await?;
    report_response(call, update, "the call is not running")
}

impl Daemon {
    fn find_program_call(
        &self,
        owner: &SessionOwner,
        id: Option<&str>,
        (tool, args): (&Tool, &Value),
    ) -> Option<CallId> {
        let calls = self.host.program_calls();
        let same = calls.find(&owner.session, NamedCall { id, tool, args });
        same.or_else(|| calls.find_by_id(&owner.session, id?))
    }

    /// What was decided about a call that its program asks about again.
    async fn repeat_decision(
        &self,
        call: CallId,
        owner: &SessionOwner,
        wait: Duration,
    ) -> Result<CheckResponse, ApiError> {
        match self.host.wait_for_answer(call, owner, wait).await? {
            Some(CallState::Executing) => self.repeat_permission(call).await,
            _ => Ok(check_response(self.host.retry(call, owner.clone()).await?)),
        }
    }

    /// The reason says whether the operator was asked about the call, or a rule allowed it.
    async fn repeat_permission(&self, call: CallId) -> Result<CheckResponse, ApiError> {
        let state = self.run(move |engine| engine.read_call(call)).await?;
        let record = state.calls.get(&call);
        let was_asked = record.is_some_and(|record| !record.requests.is_empty());
        Ok(CheckResponse {
            status: CheckStatus::Allowed,
            outcome: Outcome::Allow,
            reason: if was_asked { Reason::Granted } else { Reason::Running },
            sentence: "the call was allowed when the program first asked about it".to_owned(),
            operation_id: Some(call),
            note: String::new(),
            announcements: Vec::new(),
            question: None,
        })
    }

    /// Adds the open question, so that the program can show it.
    async fn add_question(&self, mut response: CheckResponse) -> Result<CheckResponse, ApiError> {
        if let (CheckStatus::Pending, Some(call)) = (response.status, response.operation_id) {
            response.question = self.describe_question(call).await?.map(Box::new);
        }
        Ok(response)
    }

    /// The cards of a call's open requests as text. That the program shows them goes on record.
    async fn describe_question(&self, call: CallId) -> Result<Option<QuestionView>, ApiError> {
        let state = self.run(move |engine| engine.read_call(call)).await?;
        let requests = state.calls.get(&call).map(|record| record.requests.clone());
        let requests: Vec<RequestId> = requests.unwrap_or_default();
        let asked = requests.clone();
        let state = self.run(move |engine| engine.read_cards(&asked)).await?;
        let (graph, now) = (self.graph()?, self.display_time().await?);
        let context = CardContext { graph: graph.as_deref(), state: &state, now };
        let open = requests.iter().filter_map(|id| state.requests.get(id));
        let cards: Vec<_> = open
            .filter(|request| request.is_open(now))
            .map(|request| build_card(context, request))
            .collect();
        let Some(first) = cards.first() else { return Ok(None) };
        let risk = cards.iter().map(|card| card.risk).max().unwrap_or(first.risk);
        let lines: Vec<String> = cards.iter().flat_map(render_question).collect();
        let is_whole = lines.len() <= QuestionView::MAX_LINES
            && cards.iter().all(|card| card.left_out.is_nothing());
        let is_operator_there = self.assurance() == Assurance::Shared;
        let answerable = match is_operator_there && is_whole && risk < Risk::Critical {
            true => Answerable::InProgram,
            false => Answerable::OnSurfaces,
        };
        if answerable == Answerable::InProgram {
            self.record_shown(cards.iter().map(|card| card.request).collect()).await?;
        }
        let surfaces = match self.host.has_surface() {
            true => SurfaceReach::Attached,
            false => SurfaceReach::None,
        };
        Ok(Some(QuestionView { request_id: first.request, risk, lines, answerable, surfaces }))
    }

    async fn record_shown(&self, requests: Vec<RequestId>) -> Result<(), ApiError> {
        let surface = program_surface()?;
        self.run(move |engine| {
            for request in requests {
                let shown = Shown::Request(request);
                let (surface, evidence) = (surface.clone(), Evidence::Requested);
                let extent = Extent::Whole;
                engine.record_delivery(&Delivery { shown, surface, evidence, extent })?;
            }
            Ok(())
        })
        .await
    }

    /// Puts the yes that was given in the program's own prompt on record, and starts the call.
    async fn record_answer_in_program(
        &self,
        call: CallId,
        owner: &SessionOwner,
    ) -> Result<(), ApiError> {
        if self.assurance() != Assurance::Shared {
            let remedy = "the operator finds it in the log";
            return Err(ApiError::conflict("the call ran without the operator's answer", remedy));
        }
        let answer = Answer {
            say: Say::One(Choice::Once),
            note: String::new(),
            confirmation: Confirmation::Plain,
            lasts: None,
            covers: None,
            from: AnswerFrom::Surface(program_surface()?),
        };
        self.run(move |engine| engine.answer(AnswerTarget::Call(call), &answer)).await?;
        self.host.retry(call, owner.clone()).await?;
        Ok(())
    }
}

/// The surface of a question that a program's own prompt shows.
fn program_surface() -> Result<SurfaceName, ApiError> {
    SurfaceName::parse("program").map_err(ApiError::unreadable)
}
