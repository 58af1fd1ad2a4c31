//! Answering a request.

use crate::Daemon;
use crate::api::Shared;
use crate::body::{Body, Id};
use crate::fault::Fault;
use axum::Json;
use axum::extract::State;
use countersign_api::{AnswerRequest, AnswerResponse, AnswerState, AnsweredItem};
use countersign_card::{CardContext, build_card};
use countersign_core::model::grant::Confirmation;
use countersign_core::model::ids::RequestId;
use countersign_core::model::request::{Answer, Request, Say};
use countersign_core::model::turn::Speaker;
use countersign_core::model::words::Choice;
use countersign_core::state::State as Known;
use countersign_core::steps::conversation::Turn;
use countersign_core::steps::settle::{Reply, Settlement};
use countersign_engine::{AnswerTarget, TurnReporter};

/// An answer counts for exactly what was shown: its digest has to come back, and for something
/// critical what had to be typed.
pub(super) async fn answer(
    State(daemon): Shared,
    Id(id): Id<RequestId>,
    Body(given): Body<AnswerRequest>,
) -> Result<Json<AnswerResponse>, Fault> {
    let known = daemon.run(move |engine| engine.read_request(id)).await?;
    let request = known.requests.get(&id).ok_or_else(|| Fault::unknown("request"))?;
    let answer = checked(&daemon, &known, request, &given)?;
    let session = request.session.clone();
    let surface = given.surface.clone();
    let settled = daemon
        .run(move |engine| engine.answer(AnswerTarget::Request(id), &answer, surface.as_ref()))
        .await?;
    let reply = replied(&settled)?;
    if given.stop {
        let turn = Turn { session, speaker: Speaker::Operator, text: "stop".to_owned() };
        daemon.run(move |engine| engine.process_turn(&turn, TurnReporter::Operator)).await?;
    }
    Ok(Json(reply))
}

fn checked(
    daemon: &Daemon,
    known: &Known,
    request: &Request,
    given: &AnswerRequest,
) -> Result<Answer, Fault> {
    if !given.digest.matches(&request.digest) {
        let remedy = "look at the card again and answer what it shows now";
        return Err(Fault::conflict("the answer was given to something else", remedy));
    }
    if countersign_core::model::redact::holds_secret(given.note.as_str()) {
        let remedy = "leave it out: a note goes to the agent and into the record";
        return Err(Fault::invalid("the note looks like it holds a secret", remedy));
    }
    let say = match (given.choice, given.items.is_empty()) {
        (Some(choice), true) => Say::One(choice),
        (None, false) => Say::Items(given.items.clone()),
        (Some(_), false) | (None, true) => {
            let remedy = "send `choice`, or `items` with a choice for each action";
            return Err(Fault::invalid("the answer names no choice, or two", remedy));
        }
    };
    let declines = match &say {
        Say::One(choice) => *choice == Choice::Decline,
        Say::Items(items) => items.values().all(|choice| *choice == Choice::Decline),
    };
    if given.stop && !declines {
        let remedy = "say no with `stop`, or leave it out";
        return Err(Fault::invalid("a yes that also stops means two things", remedy));
    }
    let confirmation =
        if declines { Confirmation::Plain } else { confirmed(daemon, known, request, given)? };
    Ok(Answer { say, note: given.note.clone().into(), confirmation })
}

/// What had to be typed must have been typed; anything typed is a second confirmation otherwise.
fn confirmed(
    daemon: &Daemon,
    known: &Known,
    request: &Request,
    given: &AnswerRequest,
) -> Result<Confirmation, Fault> {
    let graph = daemon.graph()?;
    let shown = build_card(CardContext { graph: graph.as_deref(), state: known }, request);
    match (&shown.confirm, given.confirm.as_ref().map(|typed| typed.as_str())) {
        (Some(needed), Some(typed)) if typed == needed.typed => Ok(Confirmation::Confirmed),
        (Some(needed), _) => {
            let message = format!("this is critical: the {} has to be typed", needed.what);
            Err(Fault::invalid(message, "send what the card asks for as `confirm`"))
        }
        (None, Some("yes")) => Ok(Confirmation::Confirmed),
        (None, Some(_)) => Err(Fault::invalid("`confirm` is not what was asked", "send `yes`")),
        (None, None) => Ok(Confirmation::Plain),
    }
}

fn replied(settled: &Settlement) -> Result<AnswerResponse, Fault> {
    match &settled.reply {
        Reply::Accepted { given } => {
            let items = given.iter().map(AnsweredItem::from).collect();
            Ok(AnswerResponse { state: AnswerState::Accepted, items })
        }
        Reply::AlreadyAnswered => {
            Err(Fault::conflict("somebody has answered this already", "there is nothing to do"))
        }
        Reply::Late => {
            let remedy = "the agent has to ask again";
            Err(Fault::conflict("the request has ended; the answer was recorded as late", remedy))
        }
        Reply::Refused(why) => {
            Err(Fault::invalid(why, "choose what the card offers; the request stays open"))
        }
    }
}
