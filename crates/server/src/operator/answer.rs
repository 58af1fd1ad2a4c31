//! Answers a request.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{AnswerRequest, AnswerResponse, AnswerState, AnsweredItem};
use countersign_card::{CardContext, build_card};
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Confirmation, Grant};
use countersign_core::model::ids::RequestId;
use countersign_core::model::redact::holds_secret;
use countersign_core::model::request::{Answer, AnswerFrom, Request, Say};
use countersign_core::model::time::Time;
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::Choice;
use countersign_core::state::State as StateSlice;
use countersign_core::steps::conversation::Turn;
use countersign_core::steps::settle::{AnswerReply, Refusal, Settlement};
use countersign_engine::{AnswerTarget, TurnReporter};

/// An answer counts only for the card that was shown: it has to contain the card's digest and, for
/// a critical request, the text that the card asks for.
pub(super) async fn answer_request(
    State(daemon): ServerState,
    PathParam(id): PathParam<RequestId>,
    JsonBody(body): JsonBody<AnswerRequest>,
) -> Result<Json<AnswerResponse>, ApiError> {
    let state = daemon.run(move |engine| engine.read_request(id)).await?;
    let request = state.requests.get(&id).ok_or_else(|| ApiError::unknown("request"))?;
    let now = daemon.display_time().await?;
    let answer = check_answer(&daemon, (&state, now), request, &body)?;
    let session = request.session.clone();
    let settlement =
        daemon.run(move |engine| engine.answer(AnswerTarget::Request(id), &answer)).await?;
    let response = answer_response(id, &settlement)?;
    if body.stop {
        let (speaker, from) = (Speaker::Operator, AnswerFrom::Conversation);
        let turn = Turn { session, speaker, text: "stop".to_owned(), from };
        daemon.run(move |engine| engine.process_turn(&turn, TurnReporter::Operator)).await?;
    }
    Ok(Json(response))
}

fn check_answer(
    daemon: &Daemon,
    (state, now): (&StateSlice, Time),
    request: &Request,
    body: &AnswerRequest,
) -> Result<Answer, ApiError> {
    if !body.digest.matches(&request.digest) {
        let remedy = "fetch the card again and answer what it shows now";
        return Err(ApiError::conflict("the answer refers to another version of the card", remedy));
    }
    if holds_secret(body.note.as_str()) {
        let remedy = "leave it out: a note goes to the agent and into the record";
        return Err(ApiError::invalid("the note looks like it contains a secret", remedy));
    }
    let say = match (body.choice, body.items.is_empty()) {
        (Some(choice), true) => Say::One(choice),
        (None, false) => Say::Items(body.items.clone()),
        (Some(_), false) | (None, true) => {
            let remedy = "send `choice`, or `items` with a choice for each action";
            return Err(ApiError::invalid(
                "the answer has no choice, or both `choice` and `items`",
                remedy,
            ));
        }
    };
    let is_decline = match &say {
        Say::One(choice) => *choice == Choice::Decline,
        Say::Items(items) => items.values().all(|choice| *choice == Choice::Decline),
    };
    if body.stop && !is_decline {
        let remedy = "decline, or leave `stop` out";
        return Err(ApiError::invalid("`stop` needs a no", remedy));
    }
    let confirmation = if is_decline {
        Confirmation::Plain
    } else {
        check_confirmation(daemon, (state, now), request, body)?
    };
    let lasts = body.seconds.map(|seconds| seconds.span());
    let from = body.surface.clone().map_or(AnswerFrom::Unnamed, AnswerFrom::Surface);
    let (note, covers) = (body.note.clone().into(), body.covers);
    Ok(Answer { say, note, confirmation, lasts, covers, from })
}

/// A critical request needs the text on its card. For other requests, `yes` is a second
/// confirmation.
fn check_confirmation(
    daemon: &Daemon,
    (state, now): (&StateSlice, Time),
    request: &Request,
    body: &AnswerRequest,
) -> Result<Confirmation, ApiError> {
    let graph = daemon.graph()?;
    let card = build_card(CardContext { graph: graph.as_deref(), state, now }, request);
    // It takes no answer any more, and settling says why.
    if card.closed.is_some() {
        return Ok(Confirmation::Plain);
    }
    match (&card.confirm, body.confirm.as_ref().map(|typed| typed.as_str())) {
        (Some(needed), Some(typed)) if typed == needed.typed => Ok(Confirmation::Confirmed),
        (Some(needed), _) => {
            let message = format!("this is critical: the {} has to be typed", needed.what);
            Err(ApiError::invalid(message, "send what the card asks for as `confirm`"))
        }
        (None, Some("yes")) => Ok(Confirmation::Confirmed),
        (None, Some(_)) => Err(ApiError::invalid("`confirm` does not match", "send `yes`")),
        (None, None) => Ok(Confirmation::Plain),
    }
}

fn minted_grant(change: &Change) -> Option<&Grant> {
    if let Change::GrantMinted { grant } = change { Some(grant) } else { None }
}

fn answer_response(id: RequestId, settlement: &Settlement) -> Result<AnswerResponse, ApiError> {
    match &settlement.reply {
        AnswerReply::Accepted { given } => {
            let granted: Vec<&Grant> = settlement.changes.iter().filter_map(minted_grant).collect();
            let items = given.iter().map(|given| AnsweredItem::new(given, &granted)).collect();
            Ok(AnswerResponse { state: AnswerState::Accepted, items })
        }
        AnswerReply::AlreadyAnswered => Err(ApiError::conflict(
            "the request has already been answered",
            "there is nothing to do",
        )),
        AnswerReply::Late => {
            let remedy = "the agent has to ask again";
            Err(ApiError::conflict(
                "the request has ended; the answer was recorded as late",
                remedy,
            ))
        }
        AnswerReply::Refused(Refusal::NotShown) => Err(ApiError::not_shown(id)),
        AnswerReply::Refused(why) => {
            Err(ApiError::invalid(why, "use a choice of the card; the request stays open"))
        }
    }
}
