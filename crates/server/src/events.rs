//! The event stream: the ledger from a place on, as it grows, with cards where there are any.
//!
//! It is read from the record and never from memory alone, so that whoever comes back with the
//! last place it saw misses nothing.

use crate::Daemon;
use crate::fault::Fault;
use crate::operator::drawn;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use countersign_card::{View, card};
use countersign_core::change::Change;
use countersign_core::ledger::Entry;
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Entries that are read at once.
const PAGE: usize = 256;
/// Events that wait for a slow reader; more than that, and reading the record waits for it.
const AHEAD: usize = 64;
/// Other nodes' entries are looked for this often.
const LOOK: Duration = Duration::from_secs(1);

pub(crate) fn routes() -> Router<Arc<Daemon>> {
    Router::new().route("/v1/events", get(events))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    /// The first entry that is wanted; without it only what comes from now on.
    #[serde(default)]
    from: Option<u64>,
}

async fn events(
    State(daemon): State<Arc<Daemon>>,
    query: Result<Query<From>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
) -> Result<impl axum::response::IntoResponse, Fault> {
    let Query(From { from }) = query.map_err(|error| Fault::unreadable(error.body_text()))?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse::<u64>().ok());
    let next = match last.map(|last| last.saturating_add(1)).or(from) {
        Some(next) => next,
        None => daemon.run(|engine| engine.head()).await?.next,
    };
    let (sender, receiver) = mpsc::channel(AHEAD);
    let watching = daemon.watching()?;
    tokio::spawn(async move {
        follow(daemon, next, sender).await;
        drop(watching);
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()))
}

async fn follow(
    daemon: Arc<Daemon>,
    mut next: u64,
    sender: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut grown = daemon.grown();
    loop {
        grown.mark_unchanged();
        let Ok(page) = daemon.run(move |engine| engine.page(next, PAGE)).await else { return };
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
                () = daemon.stopped() => return,
            }
        }
    }
}

async fn event(daemon: &Arc<Daemon>, entry: &Entry) -> Event {
    let data = told(daemon, entry).await.unwrap_or_else(|| json!({"kind": entry.kind}));
    let event = Event::default().id(entry.seq.to_string()).event(entry.kind.word());
    let empty = event.clone();
    event.json_data(data).unwrap_or(empty)
}

/// What an entry says; of a question its card as it stands now, of a notice the notice.
async fn told(daemon: &Arc<Daemon>, entry: &Entry) -> Option<Value> {
    let (at, change) = entry.change().ok()?;
    let (at, kind) = (at.to_string(), entry.kind);
    match change {
        Change::RequestOpened { request } => {
            let id = request.id;
            let known = daemon.run(move |engine| engine.request(id)).await.ok()?;
            let graph = daemon.graph().ok()?;
            let request = known.requests.get(&id)?;
            let card = card(View { graph: graph.as_deref(), state: &known }, request);
            Some(json!({"kind": kind, "at": at, "card": drawn(&card)}))
        }
        Change::RequestAnswered { answered } => Some(json!({
            "kind": kind, "at": at, "request": answered.request, "ending": answered.ending,
        })),
        Change::NoticeRaised { notice } => Some(json!({"kind": kind, "at": at, "notice": notice})),
        _ => Some(json!({"kind": kind, "at": at})),
    }
}
