//! `watch`: shows requests and notices as they come, and takes answers at a terminal.
//!
//! This module handles keys, the daemon's events and signals in one event loop.
//! `countersign-terminal` decides what counts as an answer.

mod daemon;
mod feed;
mod input_queue;
mod json_lines;
mod lists;
mod overview;
mod terminal_prompt;

pub(crate) use input_queue::{InputQueue, InputSender};
pub(crate) use terminal_prompt::{ask_ahead_at_terminal, check_at_terminal, start_at_terminal};

use crate::clock::ProcessClock;
use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::Args;
use countersign_client::OperatorClient;
use countersign_console::{Exit, Failure, screen};
use countersign_inbox::FullScreen;
use countersign_terminal::{
    BracketedPaste, CardLayout, Console, Device, EraseMode, InputMode, LayoutSource,
    MonotonicClock, OperatorBackend, Pipe, Prompt, PromptDriver, PromptEvent, is_same_terminal,
};
use daemon::{DaemonOperator, own_surface};
use feed::{EventFeed, EventFilter};
use input_queue::Input;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

#[derive(Args)]
#[command(
    about = "Show requests as they arrive, and answer them",
    before_help = "\
Examples:
  countersign watch
  countersign watch | tee cards.txt     only show them: piped input is never an answer
  countersign watch --json              open requests, then every event, one line each

At a terminal, answer the card with one word: once, 15m, session, project or decline; y, s, p and
n are short for once, session, project and decline. `s head` and `s actions` go further than `s`,
where the card offers that. `n: text` sends the agent a note. /help lists the rest.

Input from before a card was shown never answers it, Enter alone does nothing, and pasted text is
not an answer.

If the connection is lost, it reconnects and continues after the last event. With `--json`,
`connection_lost` and `connection_regained` are lines of their own."
)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

pub(crate) fn watch(args: &WatchArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    // A mistyped folder should fail at once, not wait for a daemon.
    client.status()?;
    if args.daemon.json {
        return json_lines::print_events(client);
    }
    let queue = InputQueue::new()?;
    queue.listen_for_signals()?;
    watch_requests(settings, client, &queue, WatchDisplay::Screen)?;
    Ok(Exit::Allowed)
}

/// How a terminal that can move its cursor shows what waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchDisplay {
    Screen,
    /// Below what was printed before.
    Lines,
}

/// Shows what the daemon sends, and asks at the terminal if there is one, until the user ends it.
pub(crate) fn watch_requests(
    settings: &Settings,
    client: OperatorClient,
    queue: &InputQueue,
    display: WatchDisplay,
) -> Result<(), Failure> {
    let is_interactive = is_same_terminal(io::stdin(), io::stdout());
    let layout = || -> LayoutSource { Box::new(|| screen::card_layout(io::stdout())) };
    let draws_screen = display == WatchDisplay::Screen && layout()() != CardLayout::Plain;
    if is_interactive && !draws_screen {
        let greeting = "watching; /help lists what you can type, Ctrl-C ends it";
        queue.sender().send_event(PromptEvent::Message(greeting.to_owned()));
    }
    let surface = if is_interactive { own_surface() } else { None };
    let filter = EventFilter { surface: surface.clone(), request: None };
    let _feed = EventFeed::start(&client, queue.sender(), filter);
    let operator = DaemonOperator::new(client, surface);
    let result = match (is_interactive, draws_screen) {
        (true, true) => {
            let device = open_terminal(settings, io::stdout())?;
            let size = Box::new(|| screen::terminal_size(io::stdout()));
            let prompt = Prompt::on_full_screen(layout());
            FullScreen::open(device, size, layout())
                .and_then(|screen| PromptDriver::start(prompt, screen, operator, ProcessClock))
                .and_then(|driver| run_event_loop(driver, queue, LoopEnd::Quit))
        }
        (true, false) => {
            let device = open_terminal(settings, io::stdout())?;
            let prompt = Prompt::new(InputMode::Interactive, erase_mode(settings), layout());
            PromptDriver::start(prompt, device, operator, ProcessClock)
                .and_then(|driver| run_event_loop(driver, queue, LoopEnd::Quit))
        }
        (false, _) => {
            let console = Pipe::new(clone_fd(io::stdout()).map_err(terminal_failure)?);
            let prompt = Prompt::new(InputMode::DisplayOnly, EraseMode::Reprint, layout());
            PromptDriver::start(prompt, console, operator, ProcessClock)
                .and_then(|driver| run_event_loop(driver, queue, LoopEnd::Quit))
        }
    };
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
        result => result.map_err(terminal_failure),
    }
}

/// Takes over the terminal of stdin and this output.
fn open_terminal(settings: &Settings, output: impl AsFd) -> Result<Device, Failure> {
    let paste = if settings.is_dumb { BracketedPaste::Disabled } else { BracketedPaste::Enabled };
    let streams = clone_fd(io::stdin()).and_then(|input| Ok((input, clone_fd(output)?)));
    let device = streams.and_then(|(input, output)| Device::open(input, output, paste));
    device.map_err(terminal_failure)
}

fn erase_mode(settings: &Settings) -> EraseMode {
    if settings.is_dumb { EraseMode::Reprint } else { EraseMode::Backspace }
}

fn clone_fd(stream: impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// When the event loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopEnd {
    Quit,
    /// When no request is open, or at the deadline.
    Answered {
        deadline: Option<Duration>,
    },
}

/// Handles keys, events, signals and timeouts, whichever comes first.
fn run_event_loop<C: Console, B: OperatorBackend>(
    mut driver: PromptDriver<C, B, ProcessClock>,
    queue: &InputQueue,
    end: LoopEnd,
) -> io::Result<()> {
    loop {
        while let Some(input) = queue.next() {
            match input {
                Input::Event(event) => driver.handle_event(*event)?,
                Input::Interrupted => driver.handle_interrupt()?,
                Input::Suspended => driver.suspend(input_queue::stop_process)?,
                Input::Resized => driver.handle_resize()?,
                Input::Ended => driver.quit()?,
            }
            if driver.prompt().is_finished() {
                return Ok(());
            }
        }
        let left = match end {
            LoopEnd::Answered { .. } if driver.prompt().question_count() == 0 => return Ok(()),
            LoopEnd::Answered { deadline: Some(deadline) } if ProcessClock.now() >= deadline => {
                return driver.quit();
            }
            LoopEnd::Answered { deadline } => {
                deadline.map(|at| at.saturating_sub(ProcessClock.now()))
            }
            LoopEnd::Quit => None,
        };
        let timeout = [left, driver.time_until_tick()].into_iter().flatten().min();
        queue.wait(driver.console().input_fd(), timeout)?;
        driver.handle_input()?;
        driver.tick()?;
        if driver.prompt().is_finished() {
            return Ok(());
        }
    }
}

fn terminal_failure(error: io::Error) -> Failure {
    let message = format!("the terminal cannot be used: {error}");
    Failure::no_operator(message, "requests without an answer are still open")
}
