//! `watch --json`: prints the open requests and then every event, one JSON object per line.
//!
//! After a lost connection it continues after the last printed event.

use crate::limits::{MAX_RECONNECT_DELAY, MIN_RECONNECT_DELAY};
use countersign_api::{CardView, EventsQuery, LedgerPosition};
use countersign_client::{ClientError, Events, OperatorClient};
use countersign_console::{Exit, Failure, out};
use serde_json::json;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Prints until stdout is closed or the program is ended.
pub(super) fn print_events(client: OperatorClient) -> Result<Exit, Failure> {
    let mut printer =
        EventPrinter { client, position: None, delay: MIN_RECONNECT_DELAY, timer: channel() };
    let mut events = printer.open()?;
    loop {
        let why = printer.follow(&mut events)?;
        out::show_json(&json!({"kind": "connection_lost", "data": {"why": why}}))?;
        events = printer.reconnect();
        let from = printer.next_position();
        out::show_json(&json!({"kind": "connection_regained", "data": {"from": from}}))?;
    }
}

struct EventPrinter {
    client: OperatorClient,
    /// The last position in the ledger that was printed, or where the stream began.
    position: Option<u64>,
    delay: Duration,
    /// Never sent to: a receive with a timeout waits.
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

    /// Prints events until the stream ends, and returns why it ended.
    fn follow(&mut self, events: &mut Events) -> Result<String, Failure> {
        if self.position.is_none() {
            // Without a position to continue from, the open requests are printed.
            match self.client.list_requests() {
                Ok(cards) => print_cards(&cards)?,
                Err(error) => return Ok(error.to_string()),
            }
        }
        let why = loop {
            let event = match events.next() {
                Some(Ok(event)) => event,
                Some(Err(error)) => break error.to_string(),
                None => break "the daemon closed the connection".to_owned(),
            };
            self.delay = MIN_RECONNECT_DELAY;
            if self.position.is_none_or(|position| position < event.seq) {
                self.position = Some(event.seq);
                let (seq, kind) = (event.seq, event.data.kind);
                out::show_json(&json!({"seq": seq, "kind": kind, "data": event.data}))?;
            }
        };
        self.position = self.position.max(events.last_position());
        Ok(why)
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
