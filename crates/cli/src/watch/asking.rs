//! One question at the terminal of whoever asks it: a script that waits for its answer.

use super::daemon::{AtDaemon, Reports};
use super::feed::{self, Feed, Looks};
use super::wires::Wires;
use super::{Until, erasing, lost, sit, terminal};
use crate::args::DaemonOption;
use crate::clock::Ticking;
use crate::failure::Failure;
use crate::operate::{put, text};
use crate::settings::Settings;
use countersign_client::Client;
use countersign_terminal::{Clock, Desk, Heard, News, Seat, same_terminal};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

/// Has a call decided. Where it asks and somebody sits at the terminal, they are asked there, for
/// so many seconds, or until there is an answer; elsewhere it waits that long.
pub(crate) fn checked(
    agent: &Client,
    mut body: Value,
    (daemon, wait): (&DaemonOption, u64),
    settings: &Settings,
) -> Result<Value, Failure> {
    let asking = Asking::here(daemon, settings);
    let wait_ms = if asking.is_some() { 0 } else { wait.saturating_mul(1000) };
    put(&mut body, "wait_ms", wait_ms);
    let said = agent.post("/v1/check", &body)?;
    let (Some(asking), "pending") = (asking, text(&said, "/status")) else { return Ok(said) };
    let call = text(&said, "/operation_id");
    let most = (wait > 0).then(|| Duration::from_secs(wait));
    asking.ask(call, most, settings)?;
    let again = json!({"session": text(&body, "/session")});
    Ok(agent.post(&format!("/v1/operations/{call}/retry"), &again)?)
}

/// A terminal at which the operator can be asked.
struct Asking {
    client: Client,
}

impl Asking {
    /// None where there is no terminal, or no way to the operator's side of the daemon.
    fn here(daemon: &DaemonOption, settings: &Settings) -> Option<Self> {
        if daemon.json || !same_terminal(io::stdin(), io::stderr()) {
            return None;
        }
        let client = daemon.operator(settings).ok()?;
        client.get("/v1/status").ok()?;
        Some(Self { client })
    }

    /// Shows the card of a call on stderr and takes an answer, here or from elsewhere; for this
    /// long at most. What it came to is for the daemon to say.
    fn ask(&self, call: &str, most: Option<Duration>, settings: &Settings) -> Result<(), Failure> {
        let found = self.client.list("/v1/requests", "requests")?;
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
        let looks = Looks { surface: None, only: Some(&request) };
        let _feed = Feed::start(&self.client, bell, looks);
        let end = most.map(|most| Ticking.now() + most);
        sit(seat, &wires, Until::Answered(end)).map_err(lost)
    }
}
