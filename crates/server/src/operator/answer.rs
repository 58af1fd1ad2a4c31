//! Answers a request.

use crate::Daemon;
use crate::error::ApiError;
use crate::extract::{JsonBody, PathParam};
use crate::routes::ServerState;
use axum::Json;
use axum::extract::State;
use countersign_api::{AnswerRequest, AnswerResponse, AnswerState, AnsweredItem};
use countersign_card::{CardContext, build_card};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::change::Change;
use countersign_core::model::grant::Grant;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::{Answer, AnswerChoices, AnswerFrom, CardVersion, Request};
use countersign_core::model::time::Time;
use countersign_core::model::words::Choice;
use countersign_core::state::State as StateSlice;
use countersign_core::steps::settle::{AnswerReply, Refusal, Settlement};
use countersign_engine::AnswerTarget;
use countersign_redact::holds_secret;

/// An answer contains the digest of the card that was shown and, for a critical request, the text that
/// the card asks for. Whether it counts is decided when it is settled.
pub(crate) async fn answer_request(
    State(daemon): ServerState,
    PathParam(id): PathParam<RequestId>,
    JsonBody(body): JsonBody<AnswerRequest>,
) -> Result<Json<AnswerResponse>, ApiError> {
    let state = daemon.run(move |engine| engine.read_request(id)).await?;
    let request = state.requests.get(&id).ok_or_else(|| ApiError::unknown("request"))?;
    let now = daemon.display_time().await?;
    let answer = build_answer(&daemon, (&state, now), request, &body)?;
    let target = AnswerTarget::Request(id);
    let settlement = daemon.run(move |engine| match body.stop {
        true => engine.decline_and_stop(target, &answer),
        false => engine.answer(target, &answer),
    });
    Ok(Json(answer_response(id, &settlement.await?)?))
}

fn build_answer(
    daemon: &Daemon,
    (state, now): (&StateSlice, Time),
    request: &Request,
    body: &AnswerRequest,
) -> Result<Answer, ApiError> {
    if holds_secret(body.note.as_str()) {
        let remedy = "leave it out: a note goes to the agent and into the record";
        return Err(ApiError::invalid("the note looks like it contains a secret", remedy));
    }
    let say = match (body.choice, body.items.is_empty()) {
        (Some(choice), true) => AnswerChoices::One(choice),
        (None, false) => AnswerChoices::Items(body.items.clone()),
        (Some(_), false) | (None, true) => {
            let remedy = "send `choice`, or `items` with a choice for each action";
            return Err(ApiError::invalid(
                "the answer has no choice, or both `choice` and `items`",
                remedy,
            ));
        }
    };
    let is_decline = match &say {
        AnswerChoices::One(choice) => *choice == Choice::Decline,
        AnswerChoices::Items(items) => items.values().all(|choice| *choice == Choice::Decline),
    };
    if body.stop && !is_decline {
        let remedy = "decline, or leave `stop` out";
        return Err(ApiError::invalid("`stop` needs a no", remedy));
    }
    let proof = match is_decline {
        true => AnswerProof::KeyPress,
        false => read_proof(daemon, (state, now), request, body)?,
    };
    let lasts = body.seconds.map(|seconds| seconds.span());
    let card = match body.digest.matches(&request.digest) {
        true => CardVersion::Current,
        false => CardVersion::Other,
    };
    let from = AnswerFrom::Surface { name: body.surface.clone(), card };
    let (note, covers) = (body.note.clone().into(), body.covers);
    Ok(Answer { say, note, proof, lasts, covers, from })
}

/// What `confirm` proves: the text that the card asks for, or `yes` as a second yes where it asks for
/// none. Another text proves nothing on a critical card.
fn read_proof(
    daemon: &Daemon,
    (state, now): (&StateSlice, Time),
    request: &Request,
    body: &AnswerRequest,
) -> Result<AnswerProof, ApiError> {
    let Some(typed) = body.confirm.as_ref().map(|typed| typed.as_str()) else {
        return Ok(AnswerProof::KeyPress);
    };
    let graph = daemon.graph()?;
    let card = build_card(CardContext { graph: graph.as_deref(), state, now }, request);
    match &card.confirm {
        // It takes no answer any more, and settling says why.
        _ if card.closed.is_some() => Ok(AnswerProof::KeyPress),
        Some(needed) if typed == needed.typed => Ok(AnswerProof::TypedText),
        Some(_) => Ok(AnswerProof::KeyPress),
        None if typed == "yes" => Ok(AnswerProof::SecondYes),
        None => Err(ApiError::invalid("`confirm` does not match", "send `yes`")),
    }
}

const DECLINES_LIFTED: &str = "what you had declined of this no longer counts as declined";

fn minted_grant(change: &Change) -> Option<&Grant> {
    if let Change::GrantMinted { grant } = change { Some(grant) } else { None }
}

fn answer_response(id: RequestId, settlement: &Settlement) -> Result<AnswerResponse, ApiError> {
    match &settlement.reply {
        AnswerReply::Accepted { given } => {
            let granted: Vec<&Grant> = settlement.changes.iter().filter_map(minted_grant).collect();
            let items = given.iter().map(|given| AnsweredItem::new(given, &granted)).collect();
            let mut lifted =
                settlement.changes.iter().filter(|c| matches!(c, Change::DeclinesLifted { .. }));
            let declines = lifted.next().map(|_| DECLINES_LIFTED.to_owned());
            Ok(AnswerResponse { state: AnswerState::Accepted, items, declines })
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
        AnswerReply::Refused(Refusal::NotCounted(why)) => Err(ApiError::not_counted(*why, id)),
        AnswerReply::Refused(why) => {
            Err(ApiError::invalid(why, "use a choice of the card; the request stays open"))
        }
    }
}
