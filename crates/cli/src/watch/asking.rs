//! One question at the terminal of whoever asks it: a script that waits for its answer.

use super::daemon::{AtDaemon, Reports};
use super::feed::{self, Feed};
use super::wires::Wires;
use super::{Until, erasing, lost, sit, terminal};
use crate::args::DaemonOption;
use crate::clock::Ticking;
use crate::failure::Failure;
use crate::settings::Settings;
use countersign_client::Client;
use countersign_terminal::{Clock, Desk, Heard, News, Seat, same_terminal};
use serde_json::Value;
use std::io;
use std::time::Duration;

/// A terminal at which the operator can be asked.
pub(crate) struct Asking {
    client: Client,
}

impl Asking {
    /// None where there is no terminal, or no way to the operator's side of the daemon.
    pub(crate) fn here(daemon: &DaemonOption, settings: &Settings) -> Option<Self> {
        if daemon.json || !same_terminal(io::stdin(), io::stderr()) {
            return None;
        }
        let client = daemon.operator(settings).ok()?;
        client.get("/v1/status").ok()?;
        Some(Self { client })
    }

    /// Shows the card of a call on stderr and takes an answer, here or from elsewhere; for this
    /// long at most. What it came to is for the daemon to say.
    pub(crate) fn ask(
        &self,
        call: &str,
        most: Option<Duration>,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let found = self.client.get("/v1/requests")?;
        let cards = found.get("requests").and_then(Value::as_array).cloned().unwrap_or_default();
        let mine = |card: &&Value| {
            let calls = card.get("calls").and_then(Value::as_array);
            calls.is_some_and(|calls| calls.iter().any(|known| known == call))
        };
        let Some(News::Asked(question)) = cards.iter().find(mine).map(feed::asked) else {
            return Ok(());
        };
        let wires = Wires::new()?;
        wires.listen_for_signals()?;
        let (bell, request) = (wires.bell(), question.request.clone());
        let device = terminal(settings, io::stderr())?;
        let operator = AtDaemon::new(self.client.clone(), Reports::Nothing);
        let desk = Desk::new(Heard::Typed, erasing(settings));
        let mut seat = Seat::take(desk, device, operator, Ticking).map_err(lost)?;
        seat.came(News::Asked(question)).map_err(lost)?;
        let _feed = Feed::start(&self.client, bell, Some(&request));
        let end = most.map(|most| Ticking.now() + most);
        sit(seat, &wires, Until::Answered(end)).map_err(lost)
    }
}
