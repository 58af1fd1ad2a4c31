//! Asks one question at the terminal of the script that waits for its answer.

use super::daemon::DaemonOperator;
use super::feed::{EventFeed, EventFilter, question_event};
use super::input_queue::InputQueue;
use super::{LoopEnd, erase_mode, open_terminal, run_event_loop, terminal_failure};
use crate::args::DaemonOption;
use crate::clock::ProcessClock;
use crate::failure::Failure;
use crate::operate::fit_bounds;
use crate::screen;
use crate::settings::Settings;
use countersign_api::{CheckRequest, CheckResponse, CheckStatus};
use countersign_client::{AgentClient, OperatorClient};
use countersign_core::model::ids::CallId;
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
        if daemon.json || !is_same_terminal(io::stdin(), io::stderr()) {
            return None;
        }
        let client = daemon.operator(settings).ok()?;
        client.status().ok()?;
        Some(Self { client })
    }

    /// Shows the card of a call on stderr and waits for an answer, from here or from another surface,
    /// for this long at most. The caller gets the answer from the daemon.
    fn ask(&self, call: CallId, max: Option<Duration>, settings: &Settings) -> Result<(), Failure> {
        let cards = self.client.list_requests()?;
        let Some(card) = cards.iter().find(|view| view.card.calls.contains(&call)) else {
            return Ok(());
        };
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
