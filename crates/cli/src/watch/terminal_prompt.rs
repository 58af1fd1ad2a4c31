//! Asks one question at the terminal of the script that waits for its answer.

use super::daemon::DaemonOperator;
use super::feed::{EventFeed, EventFilter, question_event};
use super::input_queue::InputQueue;
use super::{LoopEnd, erase_mode, open_terminal, run_event_loop, terminal_failure};
use crate::clock::ProcessClock;
use crate::daemon_option::DaemonOption;
use crate::operate::fit_bounds;
use crate::settings::Settings;
use countersign_api::{
    AheadStatus, AskAheadRequest, AskAheadResponse, CardView, CheckRequest, CheckResponse,
    CheckStatus, StartRunRequest, StartRunResponse, StartStatus,
};
use countersign_client::{AgentClient, OperatorClient};
use countersign_console::{Failure, screen};
use countersign_terminal::{
    InputMode, MonotonicClock, Prompt, PromptDriver, PromptEvent, is_same_terminal,
};
use std::io;
use std::time::Duration;

/// Sends a check. If it asks and there is a terminal, shows the request there, for this many seconds
/// or, with 0, until there is an answer. Without a terminal the daemon waits that long.
pub(crate) fn check_at_terminal(
    agent: &AgentClient,
    mut request: CheckRequest,
    wait_seconds: u64,
    daemon: &DaemonOption,
    settings: &Settings,
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
    prompt.ask(|view| view.card.calls.contains(&call), max, settings)?;
    Ok(agent.retry(call, &request.session)?)
}

/// The same for a question ahead of a call.
pub(crate) fn ask_ahead_at_terminal(
    agent: &AgentClient,
    mut request: AskAheadRequest,
    wait_seconds: u64,
    daemon: &DaemonOption,
    settings: &Settings,
) -> Result<AskAheadResponse, Failure> {
    let prompt = TerminalPrompt::open(daemon, settings);
    let wait = if prompt.is_some() { 0 } else { wait_seconds.saturating_mul(1000) };
    request.wait_ms = fit_bounds("time to wait", wait)?;
    let response = agent.ask_ahead(&request)?;
    let (Some(prompt), AheadStatus::Pending, Some(id)) =
        (prompt, response.status, response.request_id)
    else {
        return Ok(response);
    };
    let max = (wait_seconds > 0).then(|| Duration::from_secs(wait_seconds));
    prompt.ask(|view| view.card.request == id, max, settings)?;
    Ok(agent.question(id, &request.session)?)
}

/// The same for the start of a run.
pub(crate) fn start_at_terminal(
    agent: &AgentClient,
    mut request: StartRunRequest,
    wait_seconds: u64,
    daemon: &DaemonOption,
    settings: &Settings,
) -> Result<StartRunResponse, Failure> {
    let prompt = TerminalPrompt::open(daemon, settings);
    let wait = if prompt.is_some() { 0 } else { wait_seconds.saturating_mul(1000) };
    request.wait_ms = fit_bounds("time to wait", wait)?;
    let response = agent.start_run(&request)?;
    let (Some(prompt), StartStatus::Pending, Some(id)) =
        (prompt, response.status, response.request_id)
    else {
        return Ok(response);
    };
    let max = (wait_seconds > 0).then(|| Duration::from_secs(wait_seconds));
    prompt.ask(|view| view.card.request == id, max, settings)?;
    let run = agent.run(response.run_id, &request.session)?;
    Ok(response.updated(&run))
}

/// A terminal at which the operator can be asked.
struct TerminalPrompt {
    client: OperatorClient,
}

impl TerminalPrompt {
    /// None if there is no terminal, or the operator's plane cannot be reached from here.
    fn open(daemon: &DaemonOption, settings: &Settings) -> Option<Self> {
        if daemon.json || !is_same_terminal(io::stdin(), io::stderr()) {
            return None;
        }
        let client = daemon.operator(settings).ok()?;
        client.status().ok()?;
        Some(Self { client })
    }

    /// Shows the card of a request on stderr and waits for an answer, from here or from another surface,
    /// for this long at most. The caller gets the answer from the daemon.
    fn ask(
        &self,
        is_meant: impl Fn(&CardView) -> bool,
        max: Option<Duration>,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let cards = self.client.list_requests()?;
        let Some(card) = cards.iter().find(|view| is_meant(view)) else { return Ok(()) };
        let PromptEvent::RequestOpened(question) = question_event(card) else { return Ok(()) };
        let queue = InputQueue::new()?;
        queue.listen_for_signals()?;
        let device = open_terminal(settings, io::stderr())?;
        let operator = DaemonOperator::new(self.client.clone(), None);
        let layout = Box::new(|| screen::card_layout(io::stderr()));
        let prompt = Prompt::new(InputMode::Interactive, erase_mode(settings), layout);
        let mut driver = PromptDriver::start(prompt, device, operator, ProcessClock)
            .map_err(terminal_failure)?;
        driver.handle_event(PromptEvent::RequestOpened(question)).map_err(terminal_failure)?;
        let filter = EventFilter { surface: None, request: Some(card.card.request.to_string()) };
        let _feed = EventFeed::start(&self.client, queue.sender(), filter);
        let end = LoopEnd::Answered { deadline: max.map(|max| ProcessClock.now() + max) };
        run_event_loop(driver, &queue, end).map_err(terminal_failure)
    }
}
