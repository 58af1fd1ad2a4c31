//! Asks for permission before there is a call, and reads the answer now or later.

use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam, QueryParams};
use crate::limits;
use crate::routes::{CallerExtension, PeerExtension, ServerState};
use axum::extract::State;
use axum::{Extension, Json};
use countersign_api::{
    AheadStatus, AskAheadRequest, AskAheadResponse, AskedScope, SessionQuery, SessionRequest,
    Timestamp, WaitRequest, WithdrawnResponse,
};
use countersign_core::decide::explain;
use countersign_core::model::decision::{Basis, Decision};
use countersign_core::model::draft::AheadDraft;
use countersign_core::model::grant::{Grant, Scope};
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::{Ahead, RequestState, Subject};
use countersign_core::model::time::Time;
use countersign_core::model::words::{Ending, Outcome, Reason, Risk};
use countersign_engine::{OwnQuestion, SessionOwner, Withdrawal};

/// What the seed's runtime says for an operator who is not there.
const NOBODY: &str = "no interactive operator available";

pub(super) async fn ask_ahead(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    Extension(peer): PeerExtension,
    JsonBody(body): JsonBody<AskAheadRequest>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    daemon.check_project(&caller, peer, body.project.as_ref()).await?;
    let (asked, wait) = (body.scope, body.wait_ms.duration().min(limits::MAX_WAIT));
    let owner = SessionOwner::new(&body.session, caller.agent);
    let draft = AheadDraft {
        session: owner.session.clone(),
        agent: owner.agent.clone(),
        project: body.project,
        ahead: Ahead {
            text: body.action.into(),
            category: body.category,
            scope: asked.scope(),
            reason: body.reasoning.into(),
            fallback: body.fallback.into(),
        },
        parking: daemon.parking(body.park),
    };
    let (decision, request) = daemon.run(move |engine| engine.ask_ahead(&draft)).await?;
    if let Some(id) = request {
        let question = daemon.host.wait_for_question(id, &owner, wait).await?;
        return question_response(question);
    }
    if let (Outcome::Allow, Basis::Grants(grants)) = (decision.outcome, &decision.basis)
        && let Some(id) = grants.first().copied()
    {
        let state = daemon.run(move |engine| engine.read_grant(id)).await?;
        let (grant, now) = (state.grants.get(id), daemon.display_time().await?);
        let grant = grant.ok_or_else(|| ApiError::unknown("grant"))?;
        return Ok(Json(covered_response(grant, asked, now)));
    }
    Ok(Json(denied_response(&decision, asked)))
}

pub(super) async fn get_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<RequestId>,
    QueryParams(SessionQuery { session }): QueryParams<SessionQuery>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    question_response(daemon.run(move |engine| engine.read_question(id, &owner)).await?)
}

pub(super) async fn wait_for_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(id): PathParam<RequestId>,
    JsonBody(body): JsonBody<WaitRequest>,
) -> Result<Json<AskAheadResponse>, ApiError> {
    let limit = body.wait_ms.duration().min(limits::MAX_WAIT);
    let owner = SessionOwner::new(&body.session, caller.agent);
    question_response(daemon.host.wait_for_question(id, &owner, limit).await?)
}

pub(super) async fn cancel_question(
    State(daemon): ServerState,
    Extension(caller): CallerExtension,
    PathParam(request_id): PathParam<RequestId>,
    JsonBody(SessionRequest { session }): JsonBody<SessionRequest>,
) -> Result<Json<WithdrawnResponse>, ApiError> {
    let owner = SessionOwner::new(&session, caller.agent);
    match daemon.run(move |engine| engine.withdraw_question(request_id, &owner)).await? {
        Withdrawal::Recorded => {
            Ok(Json(WithdrawnResponse { request_id, status: AheadStatus::Cancelled }))
        }
        Withdrawal::TooLate => {
            Err(ApiError::conflict("the question is not open any more", "read it with GET"))
        }
        Withdrawal::Unknown => Err(ApiError::unknown("request")),
    }
}

fn question_response(found: Option<OwnQuestion>) -> Result<Json<AskAheadResponse>, ApiError> {
    let question = found.ok_or_else(|| ApiError::unknown("request"))?;
    let Subject::Ahead(ahead) = &question.request.subject else {
        return Err(ApiError::unknown("request"));
    };
    let (status, reason) = read_status(&question);
    let grant = question.grant.as_ref().filter(|grant| grant.in_force(question.now));
    let asked = asked_scope(ahead.scope);
    Ok(Json(AskAheadResponse {
        operator_note: question.request.note.clone(),
        request_id: Some(question.request.id),
        sentence: describe_question(&question, status, asked),
        ..response(status, reason, grant, asked)
    }))
}

/// A live grant covers what is asked for.
fn covered_response(grant: &Grant, asked: AskedScope, now: Time) -> AskAheadResponse {
    let grant = Some(grant).filter(|grant| grant.in_force(now));
    let sentence = match grant {
        Some(grant) => format!("a live grant covers this{}", describe_narrowed(grant, asked)),
        None => "the grant for this has just ended".to_owned(),
    };
    AskAheadResponse {
        sentence,
        request_id: grant.and_then(|grant| grant.request),
        ..response(AheadStatus::Approved, Reason::Granted, grant, asked)
    }
}

fn denied_response(decision: &Decision, asked: AskedScope) -> AskAheadResponse {
    let status = match decision.reason {
        Reason::DeclinedBefore => AheadStatus::Declined,
        _ => AheadStatus::Denied,
    };
    let operator_note = match decision.reason {
        Reason::DeclinedBefore => decision.note.clone(),
        Reason::NoOperator => NOBODY.to_owned(),
        _ => String::new(),
    };
    let sentence = explain::sentence(decision);
    AskAheadResponse { operator_note, sentence, ..response(status, decision.reason, None, asked) }
}

fn response(
    status: AheadStatus,
    reason: Reason,
    grant: Option<&Grant>,
    scope_requested: AskedScope,
) -> AskAheadResponse {
    AskAheadResponse {
        status,
        granted: grant.is_some(),
        scope_granted: grant.map(|grant| grant.scope.into()),
        operator_note: String::new(),
        grant_id: grant.map(|grant| grant.id),
        ends_at: grant.and_then(|grant| grant.ends_at).map(Timestamp),
        scope_requested,
        reason,
        sentence: String::new(),
        request_id: None,
    }
}

fn read_status(question: &OwnQuestion) -> (AheadStatus, Reason) {
    match question.request.state {
        _ if question.is_open() => (AheadStatus::Pending, Reason::NoGrant),
        RequestState::Closed(Ending::Approved) => (AheadStatus::Approved, yes_reason(question)),
        RequestState::Closed(Ending::Declined) => (AheadStatus::Declined, Reason::DeclinedBefore),
        RequestState::Closed(Ending::Cancelled) => (AheadStatus::Cancelled, Reason::Cancelled),
        // No sweep has recorded its end yet.
        RequestState::Open | RequestState::Closed(Ending::Expired) => {
            (AheadStatus::Expired, Reason::Expired)
        }
    }
}

fn yes_reason(question: &OwnQuestion) -> Reason {
    match &question.grant {
        Some(grant) if grant.in_force(question.now) => Reason::Granted,
        Some(_) => Reason::Expired,
        None => Reason::TooRiskyToCarry,
    }
}

fn describe_question(question: &OwnQuestion, status: AheadStatus, asked: AskedScope) -> String {
    match (status, &question.grant) {
        (AheadStatus::Pending, _) => "the operator is asked".to_owned(),
        (AheadStatus::Approved, Some(grant)) if grant.in_force(question.now) => {
            format!("the operator said yes{}", describe_narrowed(grant, asked))
        }
        (AheadStatus::Approved, Some(_)) => {
            "the operator said yes, and the grant has been used up or has ended".to_owned()
        }
        (AheadStatus::Approved, None) if is_critical(question) => {
            "the operator said yes; it is recorded and gives no grant, because only an answer to the \
             call itself allows a critical category"
                .to_owned()
        }
        (AheadStatus::Approved, None) => "the operator said yes; there is no grant".to_owned(),
        (AheadStatus::Declined, _) => "the operator declined".to_owned(),
        (AheadStatus::Cancelled, _) => "the question was withdrawn or cancelled".to_owned(),
        (AheadStatus::Expired, _) => "nobody answered in time".to_owned(),
        (AheadStatus::Denied, _) => "nobody was asked".to_owned(),
    }
}

fn is_critical(question: &OwnQuestion) -> bool {
    question.request.items.iter().any(|item| item.risk == Risk::Critical)
}

/// Says so if a grant does not last as long as was asked for.
fn describe_narrowed(grant: &Grant, asked: AskedScope) -> String {
    match (asked, grant.scope) {
        (AskedScope::Persistent, Scope::Session) => {
            ", for this session: it belongs to no project, or the operator chose that".to_owned()
        }
        (AskedScope::ThisSession | AskedScope::Persistent, Scope::Once) => {
            ", for one call".to_owned()
        }
        (AskedScope::ThisSession | AskedScope::Persistent, Scope::Until) => {
            ", for some minutes".to_owned()
        }
        (_, Scope::Once | Scope::Until | Scope::Run | Scope::Session | Scope::Project) => {
            String::new()
        }
    }
}

fn asked_scope(scope: Scope) -> AskedScope {
    match scope {
        Scope::Once | Scope::Until | Scope::Run => AskedScope::ThisCall,
        Scope::Session => AskedScope::ThisSession,
        Scope::Project => AskedScope::Persistent,
    }
}
