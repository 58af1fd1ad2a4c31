//! Tells open pages that the record has grown. They fetch what they show again.
//!
//! An event carries a position and nothing else. A page that reconnects names the last position that it
//! has seen, and the ledger says whether anything came after it, so no event can be lost.

use super::visit::Visit;
use crate::Daemon;
use crate::error::ApiError;
use crate::limits;
use axum::http::{HeaderMap, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Kind;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

pub(super) async fn stream(
    visit: &Visit,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Response, ApiError> {
    let named = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let query = uri.query().unwrap_or_default();
    let after = query.split('&').find_map(|field| field.strip_prefix("after="));
    let seen = named.or(after).and_then(|text| text.parse::<u64>().ok());
    let daemon = Arc::clone(&visit.daemon);
    let next = match seen {
        Some(seen) => seen.saturating_add(1),
        None => daemon.run(|engine| engine.ledger_head()).await?.next,
    };
    let (sender, receiver) = mpsc::channel(limits::EVENT_BUFFER);
    let watching = daemon.host.attach_surface()?;
    let session = visit.session.hash;
    tokio::spawn(async move {
        tell_growth(&daemon, (session, next), sender).await;
        drop(watching);
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()).into_response())
}

#[allow(clippy::disallowed_methods, reason = "how often a page looks decides no call")]
async fn tell_growth(
    daemon: &Arc<Daemon>,
    (session, mut next): (Digest, u64),
    sender: mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut grown = daemon.host.ledger_growth();
    // Opens the stream at the other end.
    if sender.send(Ok(Event::default().comment("open"))).await.is_err() {
        return;
    }
    loop {
        grown.mark_unchanged();
        let Ok(Some((name, head))) = find_growth(daemon, next).await else { return };
        let Ok(now) = daemon.display_time().await else { return };
        if !daemon.dashboard.lock_sessions().is_open(&session, now) {
            return;
        }
        if let Some(name) = name {
            let event = Event::default().id(head.saturating_sub(1).to_string());
            if sender.send(Ok(event.event(name).data("."))).await.is_err() {
                return;
            }
        }
        next = next.max(head);
        tokio::select! {
            _ = grown.changed() => tokio::time::sleep(limits::MIN_PAGE_EVENT_INTERVAL).await,
            () = tokio::time::sleep(limits::POLL_INTERVAL) => {}
            () = sender.closed() => return,
            () = daemon.host.wait_until_stopped() => return,
        }
    }
}

/// What kind of growth there is from a position on, and where the ledger ends now. Of much growth the
/// end is looked at.
async fn find_growth(
    daemon: &Arc<Daemon>,
    next: u64,
) -> Result<Option<(Option<&'static str>, u64)>, ApiError> {
    let head = daemon.run(|engine| engine.ledger_head()).await?.next;
    if head <= next {
        return Ok(Some((None, head)));
    }
    let from = next.max(head.saturating_sub(limits::EVENT_PAGE as u64));
    let page = daemon.run(move |engine| engine.read_entries(from, limits::EVENT_PAGE)).await?;
    let is_much = from > next;
    let kinds = || page.iter().map(|entry| entry.kind);
    let name = match (is_much || kinds().any(concerns_operator), kinds().any(concerns_calls)) {
        (true, _) => Some("questions"),
        (false, true) => Some("calls"),
        (false, false) => None,
    };
    Ok(Some((name, head)))
}

/// Pages show it at once.
const fn concerns_operator(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::RequestOpened
            | Kind::RequestAnswered
            | Kind::NoticeRaised
            | Kind::NoticeAcknowledged
            | Kind::NoticeEnded
            | Kind::GrantMinted
            | Kind::GrantRevoked
            | Kind::GrantReviewed
            | Kind::AgentPaused
            | Kind::AgentResumed
            | Kind::SessionOpened
            | Kind::SessionEnded
            | Kind::ProposalSubmitted
            | Kind::ProposalApplied
            | Kind::ProposalVetoed
            | Kind::ProposalUndone
            | Kind::GraphLoaded
    )
}

/// Pages show it soon. What a page itself causes, such as the report that it has shown a card, does
/// not count: it would fetch itself again and again.
const fn concerns_calls(kind: Kind) -> bool {
    matches!(kind, Kind::CallDecided | Kind::CallCompleted | Kind::GrantUsed | Kind::GrantEnded)
}
