//! What the forms of the pages do. Each is a route of the operator's plane.

use super::answer_form::{AnswerForm, FormAnswer};
use super::forms::PageForm;
use super::panels::answer_form_name;
use super::respond::redirect;
use super::visit::Visit;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::operator::{
    answer, direct_grants, grants, notices, presence, proposals, requests, review, sessions,
    suggestions,
};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use countersign_api::paths::percent_encode;
use countersign_api::{
    AnswerResponse, AnsweredItem, ApplySuggestionRequest, EmptyRequest, EndBrowserSessionRequest,
    EndSessionReason, EndSessionRequest, GrantRequest, GrantableScope, PauseRequest, ResumeRequest,
    RevokeRequest, SuggestedScope, Text,
};
use countersign_card::escape_for_display;
use countersign_core::model::grant::Scope;
use countersign_core::model::ids::{GrantId, NoticeId, ProposalId, RequestId};
use countersign_core::model::names::{Action, Agent, SessionName};
use countersign_core::model::words::{Choice, Covers};
use countersign_dashboard::{ActResult, SavedMessage};
use std::sync::Arc;

/// Carries a form out, and leads to a page that says what became of it.
pub(super) async fn carry_out(visit: &Visit, form: PageForm) -> Result<Response, ApiError> {
    if visit.path == "answer" {
        return send_answer(visit, &form).await;
    }
    check_token(visit, &form, &visit.path)?;
    let (done, back) = act(visit, &form).await;
    let message = match done {
        Ok(text) => SavedMessage { kind: ActResult::Done, text },
        Err(error) => SavedMessage { kind: ActResult::Refused, text: error.to_sentence() },
    };
    Ok(lead_back(visit, &back, message))
}

fn check_token(visit: &Visit, form: &PageForm, name: &str) -> Result<(), ApiError> {
    match visit.dashboard().is_form_token(&visit.session.hash, name, form.get("token")?) {
        true => Ok(()),
        false => Err(ApiError::forbidden(
            "this form was not made for this session",
            "open the page again; nothing was done",
        )),
    }
}

/// To a page with a message. `back` is below the path of the dashboard.
fn lead_back(visit: &Visit, back: &str, message: SavedMessage) -> Response {
    let number = visit.dashboard().lock_sessions().add_message(&visit.session.hash, message);
    let sign = if back.contains('?') { '&' } else { '?' };
    redirect(&format!("{}{back}{sign}m={number}", visit.dashboard().base()))
}

async fn send_answer(visit: &Visit, form: &PageForm) -> Result<Response, ApiError> {
    let read = AnswerForm::read(form)?;
    check_token(visit, form, &answer_form_name(read.request, read.digest, read.rendered_at))?;
    let request = read.request;
    let same = format!("?r={request}");
    match answer_request(visit, &read).await {
        Ok(FormOutcome::Sent(text)) => {
            Ok(lead_back(visit, "", SavedMessage { kind: ActResult::Done, text }))
        }
        Ok(FormOutcome::NeedsSecond { choice, note }) => {
            let (choice, note) = (percent_encode(&choice), percent_encode(&note));
            let base = visit.dashboard().base();
            Ok(redirect(&format!("{base}{same}&confirm={choice}&note={note}")))
        }
        Err(error) => {
            let text = error.to_sentence();
            Ok(lead_back(visit, &same, SavedMessage { kind: ActResult::Refused, text }))
        }
    }
}

enum FormOutcome {
    Sent(String),
    NeedsSecond { choice: String, note: String },
}

async fn answer_request(visit: &Visit, form: &AnswerForm<'_>) -> Result<FormOutcome, ApiError> {
    form.check_time(visit.now)?;
    let daemon = || State(Arc::clone(&visit.daemon));
    let id = form.request;
    let Json(view) = requests::get_request(daemon(), PathParam(id)).await?;
    match form.to_answer(&view.card, &visit.session.surface)? {
        FormAnswer::Confirm(confirming) => {
            Ok(FormOutcome::NeedsSecond { choice: confirming.choice, note: confirming.note })
        }
        FormAnswer::Send(body) => {
            let stopped = if body.stop { "; the session is stopped" } else { "" };
            let sent = answer::answer_request(daemon(), PathParam(id), JsonBody(*body)).await;
            let Json(response) = sent?;
            let what = view.card.card.headline.as_str();
            Ok(FormOutcome::Sent(describe_answer(&response, what, stopped)))
        }
    }
}

/// What an answer gave, in the words of the buttons.
fn describe_answer(response: &AnswerResponse, what: &str, stopped: &str) -> String {
    let describe = |item: &AnsweredItem| {
        let reason = item.reason.as_ref().map(|reason| format!(", because {reason}"));
        let reason = reason.unwrap_or_default();
        let covers = item.covers.as_deref().map(escape_for_display).unwrap_or_default();
        match item.scope_granted {
            Some(Scope::Once) => format!("Allowed once{reason}"),
            Some(scope) => format!("Allowed: {covers}, {scope}{reason}"),
            None if item.scope_requested == Choice::Decline => "Declined".to_owned(),
            None => format!("Answered{reason}"),
        }
    };
    let mut given: Vec<String> = response.items.iter().map(describe).collect();
    given.dedup();
    format!("{}{stopped}: {what}", given.join("; "))
}

/// What a form does: a sentence about it, and the page that it came from.
async fn act(visit: &Visit, form: &PageForm) -> (Result<String, ApiError>, String) {
    let path = visit.path.as_str();
    let back = match path {
        "grant" | "keep" | "review" => "grants",
        "verify" => "record",
        "suggest" => "insights",
        "acknowledge" => "notices",
        "end-browser" => "status",
        "end-session" => "sessions",
        "proposal" => "proposals",
        "revoke" if matches!(form.get("back"), Ok("grants")) => "grants",
        _ => "",
    };
    let done = match path {
        "pause" => pause(visit, form).await,
        "resume" => resume(visit, form).await,
        "revoke" => revoke(visit, form).await,
        "keep" => keep(visit, form).await,
        "review" => review_graph(visit).await,
        "grant" => grant(visit, form).await,
        "verify" => visit.verify_chain().await,
        "suggest" => apply_suggestion(visit, form).await,
        "acknowledge" => acknowledge(visit, form).await,
        "end-browser" => end_browser(visit, form),
        "end-session" => end_session(visit, form).await,
        "proposal" => change_proposal(visit, form).await,
        _ => Err(ApiError::no_route()),
    };
    (done, back.to_owned())
}

fn plane(visit: &Visit) -> State<Arc<crate::Daemon>> {
    State(Arc::clone(&visit.daemon))
}

async fn pause(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let agent: Agent = form.parse("agent")?;
    let everyone = agent.is_everyone();
    let name = escape_for_display(agent.as_str());
    let _paused = presence::pause_agent(plane(visit), JsonBody(PauseRequest { agent })).await?;
    Ok(match everyone {
        true => "All agents are paused: Countersign denies their calls.".to_owned(),
        false => format!("{name} is paused: Countersign denies its calls."),
    })
}

async fn resume(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let agent: Agent = form.parse("agent")?;
    let everyone = agent.is_everyone();
    let name = escape_for_display(agent.as_str());
    let _resumed = presence::resume_agent(plane(visit), JsonBody(ResumeRequest { agent })).await?;
    Ok(if everyone { "Agents may go on.".to_owned() } else { format!("{name} may go on.") })
}

async fn revoke(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let body = RevokeRequest::for_grant(parse_grant(form)?);
    let Json(revoked) = grants::revoke(plane(visit), JsonBody(body)).await?;
    let covers = revoked.grants.iter().map(|grant| escape_for_display(&grant.covers));
    Ok(match revoked.revoked.is_empty() {
        true => "It was over already.".to_owned(),
        false => format!("Revoked: {}.", covers.collect::<Vec<_>>().join("; ")),
    })
}

fn parse_grant(form: &PageForm) -> Result<GrantId, ApiError> {
    GrantId::parse(form.get("grant")?).ok_or_else(|| ApiError::unknown("grant"))
}

async fn keep(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let grant = PathParam(parse_grant(form)?);
    let _kept = grants::keep_grant(plane(visit), grant, JsonBody(EmptyRequest {})).await?;
    Ok("Kept until its next review.".to_owned())
}

async fn review_graph(visit: &Visit) -> Result<String, ApiError> {
    let _reviewed = review::review(plane(visit), JsonBody(EmptyRequest {})).await?;
    Ok("The rules and all project grants count as reviewed today.".to_owned())
}

async fn grant(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    if form.get("act")? != "grant" {
        return Err(ApiError::invalid("the button was not pressed", "press *Allow it*"));
    }
    let command = form.optional("command")?.map(str::to_owned).map(Text::try_from).transpose();
    let body = GrantRequest {
        session: form.parse::<SessionName>("session")?,
        command: command.map_err(|error| ApiError::invalid(error, "write a shorter command"))?,
        cwd: None,
        action: form.optional("action")?.map(|_| form.parse::<Action>("action")).transpose()?,
        category: None,
        scope: match form.get("scope")? {
            "once" => GrantableScope::Once,
            "project" => GrantableScope::Project,
            _ => GrantableScope::Session,
        },
        seconds: None,
        confirm: form.optional("confirm")?.map(|_| form.parse("confirm")).transpose()?,
    };
    let Json(given) = direct_grants::grant_directly(plane(visit), JsonBody(body)).await?;
    let reason = given.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    Ok(format!(
        "Allowed: {}, {}{reason}.",
        escape_for_display(&given.grant.covers),
        given.grant.scope
    ))
}

async fn apply_suggestion(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let request = RequestId::parse(form.get("request")?);
    let covers = form.optional("covers")?.map(|word| {
        Covers::from_word(word).ok_or_else(|| ApiError::unreadable("`covers` is no coverage"))
    });
    let body = ApplySuggestionRequest {
        session: form.parse::<SessionName>("session")?,
        request: request.ok_or_else(|| ApiError::unknown("request"))?,
        covers: covers.transpose()?,
        scope: match form.get("scope")? {
            "project" => SuggestedScope::Project,
            _ => SuggestedScope::Session,
        },
        confirm: form.optional("confirm")?.map(|_| form.parse("confirm")).transpose()?,
    };
    let Json(given) = suggestions::apply(plane(visit), JsonBody(body)).await?;
    Ok(format!("Allowed: {}, {}.", escape_for_display(&given.grant.covers), given.grant.scope))
}

async fn acknowledge(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let id = NoticeId::parse(form.get("notice")?).ok_or_else(|| ApiError::unknown("notice"))?;
    let empty = JsonBody(EmptyRequest {});
    let _done = notices::acknowledge_notice(plane(visit), PathParam(id), empty).await?;
    Ok("Acknowledged.".to_owned())
}

fn end_browser(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let EndBrowserSessionRequest { session } =
        EndBrowserSessionRequest { session: Some(form.parse("session")?) };
    let ended = visit.dashboard().end_sessions(session.as_ref().map(Text::as_str))?;
    Ok(if ended == 0 { "It was over already.".to_owned() } else { "Logged out.".to_owned() })
}

async fn end_session(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let session = form.parse::<SessionName>("session")?;
    let body = EndSessionRequest { session, reason: EndSessionReason::Ended };
    let Json(ended) = sessions::end_session(plane(visit), JsonBody(body)).await?;
    let name = escape_for_display(ended.session.as_str());
    Ok(if ended.ended {
        format!("The session {name} is ended.")
    } else {
        "It was over.".to_owned()
    })
}

async fn change_proposal(visit: &Visit, form: &PageForm) -> Result<String, ApiError> {
    let id = ProposalId::parse(form.get("proposal")?);
    let id = PathParam(id.ok_or_else(|| ApiError::unknown("proposal"))?);
    let empty = JsonBody(EmptyRequest {});
    let Json(changed) = match form.get("act")? {
        "apply" => proposals::apply(plane(visit), id, empty).await?,
        "veto" => proposals::veto(plane(visit), id, empty).await?,
        "undo" => proposals::undo(plane(visit), id, empty).await?,
        _ => return Err(ApiError::invalid("nothing was chosen", "press one of the buttons")),
    };
    Ok(format!("The proposal is {} now.", changed.state))
}
