//! `watch --json`: what waits, and then every event, one line each, for programs.
//!
//! A connection that is lost is sought again, and the lines go on behind the last that was printed.

use super::feed::{LATER, SOON};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use countersign_client::{Client, Events};
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Prints until whoever reads it goes away, or the program is ended.
pub(super) fn print(client: Client) -> Result<Exit, Failure> {
    let mut events = client.events(None)?;
    let mut lines = Lines { client, place: None, pause: SOON, ticks: channel() };
    loop {
        let why = lines.follow(&mut events)?;
        out::show_json(&json!({"kind": "connection_lost", "data": {"why": why}}))?;
        events = lines.again();
        let from = lines.place.map(|place| place.saturating_add(1));
        out::show_json(&json!({"kind": "connection_regained", "data": {"from": from}}))?;
    }
}

struct Lines {
    client: Client,
    /// The last place in the ledger that was printed, or where the stream began.
    place: Option<u64>,
    pause: Duration,
    /// Nothing ever comes: to wait on.
    ticks: (Sender<()>, Receiver<()>),
}

impl Lines {
    /// Prints what comes, and says why nothing comes any more.
    fn follow(&mut self, events: &mut Events) -> Result<String, Failure> {
        if self.place.is_none() {
            // Without a place to go on from, what is open is all there is to know.
            match self.client.list("/v1/requests", "requests") {
                Ok(found) => waiting(&found)?,
                Err(error) => return Ok(error.to_string()),
            }
        }
        let ended = loop {
            let event = match events.next() {
                Some(Ok(event)) => event,
                Some(Err(error)) => break error.to_string(),
                None => break "it ended".to_owned(),
            };
            self.pause = SOON;
            if self.place.is_none_or(|place| place < event.seq) {
                self.place = Some(event.seq);
                let (seq, kind, data) = (event.seq, event.kind, event.data);
                out::show_json(&json!({"seq": seq, "kind": kind, "data": data}))?;
            }
        };
        self.place = self.place.max(events.place());
        Ok(ended)
    }

    /// Tries until the daemon is there again.
    fn again(&mut self) -> Events {
        loop {
            let _never = self.ticks.1.recv_timeout(self.pause);
            self.pause = (self.pause * 2).min(LATER);
            let next = self.place.map(|place| place.saturating_add(1));
            if let Ok(events) = self.client.events(next) {
                return events;
            }
        }
    }
}

fn waiting(found: &Value) -> Result<(), Failure> {
    let cards = found.get("requests").and_then(Value::as_array);
    cards.into_iter().flatten().try_for_each(|card| {
        out::show_json(&json!({"kind": "request_waits", "data": {"card": card}}))
    })
}
