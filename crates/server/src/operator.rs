//! The operator's plane: questions, answers, grants, revocation, pause. No agent reaches it.

use crate::Daemon;
use crate::body::Body;
use crate::fault::Fault;
use crate::wire::{self, Pause, Present};
use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use countersign_card::{Card, View, card};
use countersign_core::conversation::{Speaker, Turn};
use countersign_core::grant::{Confirmation, Grant};
use countersign_core::ids::{GrantId, NoticeId, RequestId};
use countersign_core::names::{Agent, SessionName, SurfaceName};
use countersign_core::request::{Answer, Request, Say};
use countersign_core::revoke::Revoke;
use countersign_core::settle::{Reply, Settlement};
use countersign_core::state::State as Known;
use countersign_core::words::Choice;
use countersign_engine::Asks;
use serde_json::{Value, json};
use std::sync::Arc;

type Shared = State<Arc<Daemon>>;

pub(crate) fn routes() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/v1/status", get(status))
        .route("/v1/requests", get(requests))
        .route("/v1/requests/{id}", get(request))
        .route("/v1/requests/{id}/answer", post(answer))
        .route("/v1/grants", get(grants))
        .route("/v1/revoke", post(revoke))
        .route("/v1/pause", post(pause))
        .route("/v1/resume", post(resume))
        .route("/v1/presence", post(presence))
        .route("/v1/notices", get(notices))
        .route("/v1/notices/{id}/acknowledge", post(acknowledge))
        .route("/v1/review", post(review))
}

async fn status(State(daemon): Shared) -> Result<Json<Value>, Fault> {
    let graph = daemon.graph()?;
    let (asked, notices) = daemon.run(|engine| Ok((engine.asked()?, engine.notices()?))).await?;
    let now = daemon.now();
    let open = asked.requests.values().filter(|request| request.is_open(now)).count();
    Ok(Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "assurance": daemon.assurance(),
        "graph": graph.map(|graph| graph.hash.to_string()),
        "open_requests": open,
        "open_notices": notices.len(),
        "paused": asked.paused,
        "presence": asked.presence,
    })))
}

async fn requests(State(daemon): Shared) -> Result<Json<Value>, Fault> {
    let known = daemon.run(|engine| engine.asked()).await?;
    let (graph, now) = (daemon.graph()?, daemon.now());
    let view = View { graph: graph.as_deref(), state: &known };
    let open = known.requests.values().filter(|request| request.is_open(now));
    let mut cards: Vec<Card> = open.map(|request| card(view, request)).collect();
    cards.sort_by_key(|card| (card.opened_at, card.request));
    Ok(Json(json!({"requests": cards.iter().map(drawn).collect::<Vec<_>>()})))
}

async fn request(State(daemon): Shared, Path(id): Path<String>) -> Result<Json<Value>, Fault> {
    let id = request_id(&id)?;
    let known = daemon.run(move |engine| engine.request(id)).await?;
    let request = known.requests.get(&id).ok_or_else(|| Fault::unknown("request"))?;
    let graph = daemon.graph()?;
    let card = card(View { graph: graph.as_deref(), state: &known }, request);
    Ok(Json(json!({"card": drawn(&card), "state": request.state})))
}

/// The card with its lines, for surfaces that draw nothing themselves.
pub(crate) fn drawn(card: &Card) -> Value {
    let mut value = serde_json::to_value(card).unwrap_or(Value::Null);
    if let Value::Object(fields) = &mut value {
        fields.insert("lines".into(), json!(countersign_card::lines(card)));
    }
    value
}

/// An answer counts for exactly what was shown: its digest has to come back, and for something
/// critical what had to be typed.
async fn answer(
    State(daemon): Shared,
    Path(id): Path<String>,
    Body(given): Body<wire::Answer>,
) -> Result<Json<Value>, Fault> {
    let id = request_id(&id)?;
    let known = daemon.run(move |engine| engine.request(id)).await?;
    let request = known.requests.get(&id).ok_or_else(|| Fault::unknown("request"))?;
    let answer = checked(&daemon, &known, request, &given)?;
    let session = request.session.clone();
    let settled = daemon.run(move |engine| engine.answer(Asks::Request(id), &answer)).await?;
    let reply = replied(&settled)?;
    if given.stop {
        let turn = Turn { session, speaker: Speaker::Operator, text: "stop".to_owned() };
        daemon.run(move |engine| engine.say(&turn)).await?;
    }
    Ok(Json(reply))
}

fn checked(
    daemon: &Daemon,
    known: &Known,
    request: &Request,
    given: &wire::Answer,
) -> Result<Answer, Fault> {
    let digest = request.digest.to_string();
    if given.digest != digest && given.digest != request.digest.short() {
        let remedy = "look at the card again and answer what it shows now";
        return Err(Fault::conflict("the answer was given to something else", remedy));
    }
    if countersign_core::redact::holds_secret(&given.note) {
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
    Ok(Answer { say, note: given.note.clone(), confirmation })
}

/// What had to be typed must have been typed; anything typed is a second confirmation otherwise.
fn confirmed(
    daemon: &Daemon,
    known: &Known,
    request: &Request,
    given: &wire::Answer,
) -> Result<Confirmation, Fault> {
    let graph = daemon.graph()?;
    let shown = card(View { graph: graph.as_deref(), state: known }, request);
    match (&shown.confirm, &given.confirm) {
        (Some(needed), Some(typed)) if *typed == needed.typed => Ok(Confirmation::Confirmed),
        (Some(needed), _) => {
            let message = format!("this is critical: the {} has to be typed", needed.what);
            Err(Fault::invalid(message, "send what the card asks for as `confirm`"))
        }
        (None, Some(typed)) if typed == "yes" => Ok(Confirmation::Confirmed),
        (None, Some(_)) => Err(Fault::invalid("`confirm` is not what was asked", "send `yes`")),
        (None, None) => Ok(Confirmation::Plain),
    }
}

fn replied(settled: &Settlement) -> Result<Value, Fault> {
    match &settled.reply {
        Reply::Accepted { given } => {
            let given: Vec<Value> = given
                .iter()
                .map(|one| {
                    json!({
                        "action": one.action, "scope_requested": one.asked,
                        "scope_granted": one.granted, "reason": one.why,
                    })
                })
                .collect();
            Ok(json!({"state": "accepted", "given": given}))
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

async fn grants(State(daemon): Shared) -> Result<Json<Value>, Fault> {
    let known = daemon.run(|engine| engine.state()).await?;
    let now = daemon.now();
    let mut all: Vec<&Grant> = known.grants.iter().collect();
    all.sort_by_key(|grant| (std::cmp::Reverse(grant.granted_at), grant.id));
    let form = |grant: &&Grant| {
        let mut form = serde_json::to_value(grant).unwrap_or(Value::Null);
        if let Value::Object(fields) = &mut form {
            fields.insert("covers".into(), json!(grant.coverage.to_string()));
            fields.insert("in_force".into(), json!(grant.in_force(now)));
        }
        form
    };
    Ok(Json(json!({"grants": all.iter().map(form).collect::<Vec<_>>()})))
}

async fn revoke(
    State(daemon): Shared,
    Body(given): Body<wire::Revoke>,
) -> Result<Json<Value>, Fault> {
    let known = daemon.run(|engine| engine.state()).await?;
    let (what, sessions) = meant(&known, &given)?;
    let reached = daemon
        .run(move |engine| {
            let mut reached = Vec::new();
            for session in &sessions {
                reached.extend(engine.revoke(session, &what)?);
            }
            Ok(reached)
        })
        .await?;
    let reached: Vec<String> = reached.iter().map(ToString::to_string).collect();
    Ok(Json(json!({"revoked": reached})))
}

fn meant(known: &Known, given: &wire::Revoke) -> Result<(Revoke, Vec<SessionName>), Fault> {
    let all = || known.sessions.keys().cloned().collect::<Vec<_>>();
    let session = || given.session.clone().map_or_else(all, |session| vec![session]);
    match (&given.grant, &given.workflow, given.all || given.session.is_some()) {
        (Some(id), None, _) => {
            let id = GrantId::parse(id).ok_or_else(|| Fault::unknown("grant"))?;
            let grant = known.grants.get(id).ok_or_else(|| Fault::unknown("grant"))?;
            Ok((Revoke::Grants(vec![id]), vec![grant.made_in.clone()]))
        }
        (None, Some(workflow), _) => Ok((Revoke::Workflow(workflow.clone()), session())),
        (None, None, true) => Ok((Revoke::All, session())),
        (None, None, false) | (Some(_), Some(_), _) => {
            let remedy = "name one of `grant`, `workflow`, `session` and `all`";
            Err(Fault::invalid("it is not clear what to take back", remedy))
        }
    }
}

async fn pause(State(daemon): Shared, Body(given): Body<Pause>) -> Result<Json<Value>, Fault> {
    let Pause { agent } = given;
    let named = agent.clone();
    daemon.run(move |engine| engine.pause(&named)).await?;
    Ok(Json(json!({"paused": agent})))
}

async fn resume(State(daemon): Shared, Body(given): Body<Pause>) -> Result<Json<Value>, Fault> {
    let Pause { agent } = given;
    let named: Agent = agent.clone();
    daemon.run(move |engine| engine.resume(&named)).await?;
    Ok(Json(json!({"resumed": agent})))
}

async fn presence(State(daemon): Shared, Body(given): Body<Present>) -> Result<Json<Value>, Fault> {
    let presence = given.presence;
    daemon.run(move |engine| engine.presence(presence)).await?;
    Ok(Json(json!({"presence": presence})))
}

async fn notices(State(daemon): Shared) -> Result<Json<Value>, Fault> {
    let notices = daemon.run(|engine| engine.notices()).await?;
    Ok(Json(json!({"notices": notices})))
}

async fn acknowledge(State(daemon): Shared, Path(id): Path<String>) -> Result<Json<Value>, Fault> {
    let id = NoticeId::parse(&id).ok_or_else(|| Fault::unknown("notice"))?;
    let surface = SurfaceName::parse("operator").map_err(Fault::unreadable)?;
    let done = daemon.run(move |engine| engine.acknowledge(id, &surface)).await?;
    match done {
        true => Ok(Json(json!({"acknowledged": id.to_string()}))),
        false => Err(Fault::unknown("open notice")),
    }
}

async fn review(State(daemon): Shared) -> Result<Json<Value>, Fault> {
    daemon.run(|engine| engine.review()).await?;
    Ok(Json(json!({"state": "reviewed"})))
}

fn request_id(text: &str) -> Result<RequestId, Fault> {
    RequestId::parse(text).ok_or_else(|| Fault::unknown("request"))
}
