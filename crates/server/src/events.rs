//! The event stream: the ledger from a place on, as it grows, with cards where there are any.
//!
//! It is read from the record and never from memory alone, so that whoever comes back with the
//! last place it saw misses nothing.

use crate::Daemon;
use crate::api::{Api, Says, Schemas, Shape, Shared, Takes};
use crate::body::Queried;
use crate::fault::{Fault, Refusal};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_api::paths::operator as paths;
use countersign_api::{EventsQuery, LedgerEvent, LedgerPosition, Timestamp};
use countersign_card::{CardContext, build_card};
use countersign_core::ledger::Entry;
use countersign_core::model::change::{Change, Kind};
use schemars::{Schema, json_schema};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Entries that are read at once.
const PAGE: usize = 32;
/// Events that wait for a slow reader; more than that, and reading the record waits for it.
const AHEAD: usize = 16;
/// Whatever is written rings, here and on other nodes; should something not, it is looked for.
const LOOK: Duration = Duration::from_secs(60);

pub(crate) fn routes(api: Api) -> Api {
    api.get(paths::EVENTS, "What happens, as server-sent events", events)
}

/// The place of the last event that a reader has seen.
struct LastSeen(Option<LedgerPosition>);

impl<S: Send + Sync> FromRequestParts<S> for LastSeen {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Fault> {
        let Some(given) = parts.headers.get("last-event-id") else { return Ok(Self(None)) };
        let seen = given.to_str().ok().and_then(|text| text.parse().ok());
        let seen = seen.and_then(LedgerPosition::new);
        seen.map(|seen| Self(Some(seen))).ok_or_else(Fault::no_place)
    }
}

impl Takes for LastSeen {
    fn takes(shape: &mut Shape, schemas: &mut Schemas) {
        shape.parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "required": false,
            "description": "The last place that was seen: the next one comes first",
            "schema": schemas.taken.subschema_for::<LedgerPosition>(),
        }));
        shape.refusals.push(Refusal::Unreadable);
    }
}

struct Stream(ReceiverStream<Result<Event, Infallible>>);

impl IntoResponse for Stream {
    fn into_response(self) -> Response {
        Sse::new(self.0).keep_alive(KeepAlive::default()).into_response()
    }
}

impl Says for Stream {
    fn says(schemas: &mut Schemas) -> (&'static str, Schema) {
        let (kind, data) =
            (schemas.said.subschema_for::<Kind>(), schemas.said.subschema_for::<LedgerEvent>());
        let one = json_schema!({
            "type": "object", "required": ["id", "event", "data"],
            "description": "One event; there is no last one. The stream begins with an id alone: the place before the first",
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9]+$", "description": "Its place"},
                "event": kind,
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json", "contentSchema": data,
                },
            },
        });
        ("text/event-stream", one)
    }
}

async fn events(
    State(daemon): Shared,
    Queried(since): Queried<EventsQuery>,
    LastSeen(last): LastSeen,
) -> Result<Stream, Fault> {
    let after = last.map(|last| last.number().saturating_add(1));
    let next = match after.or(since.from.map(LedgerPosition::number)) {
        Some(next) => next,
        None => daemon.run(|engine| engine.ledger_head()).await?.next,
    };
    let (sender, receiver) = mpsc::channel(AHEAD);
    let watching = daemon.host.attach_surface()?;
    let surface = since.surface;
    if let Some(surface) = &surface {
        daemon.host.join_presence(surface)?;
    }
    // Where it begins, so that whoever loses it before the first event knows where to go on.
    let before = Event::default().id(next.saturating_sub(1).to_string());
    tokio::spawn(async move {
        let _gone = sender.send(Ok(before)).await;
        follow(Arc::clone(&daemon), next, sender).await;
        drop(watching);
        if let Some(surface) = surface {
            daemon.host.leave_presence(surface).await;
        }
    });
    Ok(Stream(ReceiverStream::new(receiver)))
}

#[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
async fn follow(
    daemon: Arc<Daemon>,
    mut next: u64,
    sender: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut grown = daemon.host.ledger_growth();
    loop {
        grown.mark_unchanged();
        let Ok(page) = daemon.run(move |engine| engine.read_entries(next, PAGE)).await else {
            return;
        };
        let done = page.len() < PAGE;
        for entry in page {
            next = entry.seq.saturating_add(1);
            let event = event(&daemon, &entry).await;
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
        if done {
            tokio::select! {
                _ = grown.changed() => {}
                () = tokio::time::sleep(LOOK) => {}
                () = sender.closed() => return,
                () = daemon.host.wait_until_stopped() => return,
            }
        }
    }
}

async fn event(daemon: &Arc<Daemon>, entry: &Entry) -> Event {
    let data = told(daemon, entry).await.unwrap_or_else(|| LedgerEvent::new(entry.kind, None));
    let event = Event::default().id(entry.seq.to_string()).event(entry.kind.word());
    let empty = event.clone();
    event.json_data(data).unwrap_or(empty)
}

/// What an entry says; of a question its card as it stands now, of a notice the notice.
async fn told(daemon: &Arc<Daemon>, entry: &Entry) -> Option<LedgerEvent> {
    let (at, change) = entry.change().ok()?;
    let mut form = LedgerEvent::new(entry.kind, Some(Timestamp(at)));
    match change {
        Change::RequestOpened { request } => {
            let id = request.id;
            let known = daemon.run(move |engine| engine.read_request(id)).await.ok()?;
            let graph = daemon.graph().ok()?;
            let request = known.requests.get(&id)?;
            let card = build_card(CardContext { graph: graph.as_deref(), state: &known }, request);
            form.card = Some(Box::new(card.into()));
        }
        Change::RequestAnswered { answered } => {
            (form.request, form.ending) = (Some(answered.request), answered.ending);
            form.surface = answered.surface;
        }
        Change::NoticeRaised { notice } => form.notice = Some((&*notice).into()),
        _ => {}
    }
    Some(form)
}
