//! The event stream: the ledger's entries from a position on, with the cards of requests.
//!
//! Events are read from the ledger and not from memory, so that a client that reconnects with its
//! last position misses nothing.

use crate::Daemon;
use crate::error::{ApiError, ApiErrorKind};
use crate::extract::QueryParams;
use crate::limits;
use crate::notice_views::view_notices;
use crate::routes::{
    Api, DescribeInput, DescribeResponse, ResponseSchema, RouteSchema, Schemas, ServerState,
};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_api::paths::operator as paths;
use countersign_api::{EventsQuery, LedgerEvent, LedgerPosition, Timestamp};
use countersign_card::{CardContext, build_card};
use countersign_core::model::change::{Change, Kind};
use countersign_engine::is_announced;
use countersign_ledger::Entry;
use schemars::json_schema;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

pub(crate) fn add_routes(api: Api) -> Api {
    api.get(paths::EVENTS, "Streams the ledger's entries as server-sent events", stream_events)
}

/// The position of the last event that a client received.
struct LastEventId(Option<LedgerPosition>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let Some(value) = parts.headers.get("last-event-id") else { return Ok(Self(None)) };
        let number = value.to_str().ok().and_then(|text| text.parse().ok());
        let position = number.and_then(LedgerPosition::new);
        position.map(|position| Self(Some(position))).ok_or_else(ApiError::bad_event_id)
    }
}

impl DescribeInput for LastEventId {
    fn describe_input(route: &mut RouteSchema, schemas: &mut Schemas) {
        route.parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "required": false,
            "description": "The position of the last event received; the stream starts with the next one",
            "schema": schemas.input.subschema_for::<LedgerPosition>(),
        }));
        route.errors.push(ApiErrorKind::Unreadable);
    }
}

struct EventStream(ReceiverStream<Result<Event, Infallible>>);

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        Sse::new(self.0).keep_alive(KeepAlive::default()).into_response()
    }
}

impl DescribeResponse for EventStream {
    fn describe_response(schemas: &mut Schemas) -> ResponseSchema {
        let kind = schemas.output.subschema_for::<Kind>();
        let data = schemas.output.subschema_for::<LedgerEvent>();
        let schema = json_schema!({
            "type": "object", "required": ["id", "event", "data"],
            "description": "One event. The stream does not end. It starts with an id alone: the position before the first event",
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9]+$", "description": "The position of the entry"},
                "event": kind,
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json", "contentSchema": data,
                },
            },
        });
        ResponseSchema { content_type: "text/event-stream", schema }
    }
}

async fn stream_events(
    State(daemon): ServerState,
    QueryParams(query): QueryParams<EventsQuery>,
    LastEventId(last): LastEventId,
) -> Result<EventStream, ApiError> {
    let after = last.map(|last| last.number().saturating_add(1));
    let next = match after.or(query.from.map(LedgerPosition::number)) {
        Some(next) => next,
        None => daemon.run(|engine| engine.ledger_head()).await?.next,
    };
    let (sender, receiver) = mpsc::channel(limits::EVENT_BUFFER);
    let watching = daemon.host.attach_surface()?;
    let surface = query.surface;
    if let Some(surface) = &surface {
        daemon.host.join_presence(surface)?;
    }
    // A client that is disconnected before the first event continues from this id.
    let start = Event::default().id(next.saturating_sub(1).to_string());
    tokio::spawn(async move {
        let _gone = sender.send(Ok(start)).await;
        send_entries(Arc::clone(&daemon), next, sender).await;
        drop(watching);
        if let Some(surface) = surface {
            daemon.host.leave_presence(surface).await;
        }
    });
    Ok(EventStream(ReceiverStream::new(receiver)))
}

#[allow(clippy::disallowed_methods, reason = "a poll interval decides no call")]
async fn send_entries(
    daemon: Arc<Daemon>,
    mut next: u64,
    sender: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut grown = daemon.host.ledger_growth();
    loop {
        grown.mark_unchanged();
        let Ok(page) =
            daemon.run(move |engine| engine.read_entries(next, limits::EVENT_PAGE)).await
        else {
            return;
        };
        let is_last_page = page.len() < limits::EVENT_PAGE;
        for entry in page {
            next = entry.seq.saturating_add(1);
            let event = build_event(&daemon, &entry).await;
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
        if is_last_page {
            tokio::select! {
                _ = grown.changed() => {}
                () = tokio::time::sleep(limits::POLL_INTERVAL) => {}
                () = sender.closed() => return,
                () = daemon.host.wait_until_stopped() => return,
            }
        }
    }
}

async fn build_event(daemon: &Arc<Daemon>, entry: &Entry) -> Event {
    let data = event_data(daemon, entry).await;
    let data = data.unwrap_or_else(|| LedgerEvent::new(entry.kind, None));
    let event = Event::default().id(entry.seq.to_string()).event(entry.kind.word());
    let empty = event.clone();
    event.json_data(data).unwrap_or(empty)
}

/// The content of an entry: for a request its current card, for a notice the notice.
async fn event_data(daemon: &Arc<Daemon>, entry: &Entry) -> Option<LedgerEvent> {
    let (at, change) = entry.change().ok()?;
    let mut event = LedgerEvent::new(entry.kind, Some(Timestamp(at)));
    match change {
        Change::RequestOpened { request } => {
            let id = request.id;
            let state = daemon.run(move |engine| engine.read_cards(&[id])).await.ok()?;
            let (graph, now) = (daemon.graph().ok()?, daemon.display_time().await.ok()?);
            let request = state.requests.get(&id)?;
            let context = CardContext { graph: graph.as_deref(), state: &state, now };
            let card = build_card(context, request);
            event.card = Some(Box::new(card.into()));
        }
        Change::RequestAnswered { answered } => {
            (event.request, event.ending) = (Some(answered.request), answered.ending);
            event.surface = answered.surface;
        }
        Change::NoticeRaised { notice } => {
            let views = view_notices(daemon, std::slice::from_ref(&notice)).await.ok()?;
            event.notice = views.into_iter().next();
        }
        change if is_announced(&change) => {
            let announced = daemon.run(move |engine| engine.announce_change(at, &change)).await;
            if let Some(announced) = announced.ok()? {
                event.session = Some(announced.session.qualified_name());
                event.announcements = announced.lines;
            }
        }
        _ => {}
    }
    Some(event)
}
