//! Asks one question at the terminal of the script that waits for its answer.

use super::daemon::DaemonOperator;
use super::feed::{EventFilter, Feed, question_news};
use super::wires::Wires;
use super::{Until, erasing, sit, terminal, terminal_failure};
use crate::args::DaemonOption;
use crate::clock::MonotonicClock;
use crate::failure::Failure;
use crate::operate::fit_bounds;
use crate::settings::Settings;
use countersign_api::{CheckRequest, CheckResponse, CheckStatus};
use countersign_client::{AgentClient, OperatorClient};
use countersign_core::model::ids::CallId;
use countersign_terminal::{Clock, Desk, Heard, News, Seat, same_terminal};
use std::io;
use std::time::Duration;

/// Has a call decided. If it asks and somebody sits at this terminal, the question is shown here,
/// for this many seconds or, with 0, until there is an answer. Elsewhere the daemon waits that long.
pub(crate) fn check(
    agent: &AgentClient,
    mut request: CheckRequest,
    wait_seconds: u64,
    (daemon, settings): (&DaemonOption, &Settings),
) -> Result<CheckResponse, Failure> {
    let prompt = TerminalPrompt::open(daemon, settings);
    let wait = if prompt.is_some() { 0 } else { wait_seconds.saturating_mul(1000) };
    request.wait_ms = fit_bounds("time to wait", wait)?;
    let response = agent.check(&request)?;
    let (Some(prompt), CheckStatus::Pending, Some(call)) =
        (prompt, response.status, response.operation_id)
    else {
        return Ok(response);
    };
    let max = (wait_seconds > 0).then(|| Duration::from_secs(wait_seconds));
    prompt.ask(call, max, settings)?;
    Ok(agent.retry(call, &request.session)?)
}

/// A terminal at which the operator can be asked.
struct TerminalPrompt {
    client: OperatorClient,
}

impl TerminalPrompt {
    /// None if there is no terminal, or the operator's plane cannot be reached from here.
    fn open(daemon: &DaemonOption, settings: &Settings) -> Option<Self> {
        if daemon.json || !same_terminal(io::stdin(), io::stderr()) {
            return None;
        }
        let client = daemon.operator(settings).ok()?;
        client.status().ok()?;
        Some(Self { client })
    }

    /// Shows the card of a call on stderr and takes an answer, here or from elsewhere, for this long
    /// at most. The daemon knows what the answer came to.
    fn ask(&self, call: CallId, max: Option<Duration>, settings: &Settings) -> Result<(), Failure> {
        let cards = self.client.list_requests()?;
        let Some(card) = cards.iter().find(|view| view.card.calls.contains(&call)) else {
            return Ok(());
        };
        let News::Asked(question) = question_news(card) else { return Ok(()) };
        let wires = Wires::new()?;
        wires.listen_for_signals()?;
        let bell = wires.bell();
        let device = terminal(settings, io::stderr())?;
        let operator = DaemonOperator::new(self.client.clone(), None);
        let desk = Desk::new(Heard::Typed, erasing(settings));
        let mut seat =
            Seat::take(desk, device, operator, MonotonicClock).map_err(terminal_failure)?;
        seat.came(News::Asked(question)).map_err(terminal_failure)?;
        let filter = EventFilter { surface: None, request: Some(card.card.request.to_string()) };
        let _feed = Feed::start(&self.client, bell, filter);
        let end = max.map(|max| MonotonicClock.now() + max);
        sit(seat, &wires, Until::Answered(end)).map_err(terminal_failure)
    }
}
