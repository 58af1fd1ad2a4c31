//! `watch --json`: what waits, and then every event, one line each, for programs.
//!
//! A connection that is lost is sought again, and the lines go on behind the last that was printed.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::limits::{MAX_RECONNECT_DELAY, MIN_RECONNECT_DELAY};
use crate::out;
use countersign_api::{CardView, EventsQuery, LedgerPosition};
use countersign_client::{ClientError, Events, OperatorClient};
use serde_json::json;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Prints until the reader goes away or the program is ended.
pub(super) fn print(client: OperatorClient) -> Result<Exit, Failure> {
    let mut lines =
        EventPrinter { client, position: None, delay: MIN_RECONNECT_DELAY, timer: channel() };
    let mut events = lines.open()?;
    loop {
        let why = lines.follow(&mut events)?;
        out::show_json(&json!({"kind": "connection_lost", "data": {"why": why}}))?;
        events = lines.reconnect();
        let from = lines.next_position();
        out::show_json(&json!({"kind": "connection_regained", "data": {"from": from}}))?;
    }
}

struct EventPrinter {
    client: OperatorClient,
    /// The last position in the ledger that was printed, or where the stream began.
    position: Option<u64>,
    delay: Duration,
    /// Nothing is ever sent: receiving from it is how this waits.
    timer: (Sender<()>, Receiver<()>),
}

impl EventPrinter {
    fn next_position(&self) -> Option<u64> {
        self.position.map(|position| position.saturating_add(1))
    }

    fn open(&self) -> Result<Events, ClientError> {
        let from = self.next_position().and_then(LedgerPosition::new);
        self.client.events(&EventsQuery { from, surface: None })
    }

    /// Prints what comes until the stream ends, and returns why it did.
    fn follow(&mut self, events: &mut Events) -> Result<String, Failure> {
        if self.position.is_none() {
            // Without a position to continue from, what is open is all there is to know.
            match self.client.list_requests() {
                Ok(cards) => print_cards(&cards)?,
                Err(error) => return Ok(error.to_string()),
            }
        }
        let ended = loop {
            let event = match events.next() {
                Some(Ok(event)) => event,
                Some(Err(error)) => break error.to_string(),
                None => break "it ended".to_owned(),
            };
            self.delay = MIN_RECONNECT_DELAY;
            if self.position.is_none_or(|position| position < event.seq) {
                self.position = Some(event.seq);
                let (seq, kind) = (event.seq, event.data.kind);
                out::show_json(&json!({"seq": seq, "kind": kind, "data": event.data}))?;
            }
        };
        self.position = self.position.max(events.last_position());
        Ok(ended)
    }

    /// Tries until the daemon is back.
    fn reconnect(&mut self) -> Events {
        loop {
            let _timeout = self.timer.1.recv_timeout(self.delay);
            self.delay = (self.delay * 2).min(MAX_RECONNECT_DELAY);
            if let Ok(events) = self.open() {
                return events;
            }
        }
    }
}

fn print_cards(cards: &[CardView]) -> Result<(), Failure> {
    cards.iter().try_for_each(|card| {
        out::show_json(&json!({"kind": "request_waits", "data": {"card": card}}))
    })
}
