//! `watch`: shows requests and notices as they come, and takes answers at a terminal.
//!
//! This module joins the terminal, the daemon's events and the signals in one loop.
//! `countersign-terminal` decides what counts as an answer.

mod asking;
mod daemon;
mod feed;
mod lines;
mod lists;
mod wires;

pub(crate) use asking::check;
pub(crate) use wires::{Bell, Wires};

use crate::args::WatchArgs;
use crate::clock::MonotonicClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use countersign_client::OperatorClient;
use countersign_terminal::{
    Brackets, Clock, Console, Desk, Device, Erasing, Heard, News, Operator, Pipe, Seat,
    same_terminal,
};
use daemon::{DaemonOperator, own_surface};
use feed::{EventFilter, Feed};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;
use wires::Input;

pub(crate) fn watch(args: &WatchArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    // A mistyped folder should fail at once, not wait for a daemon.
    client.status()?;
    if args.daemon.json {
        return lines::print(client);
    }
    let wires = Wires::new()?;
    wires.listen_for_signals()?;
    attend(settings, client, &wires)?;
    Ok(Exit::Allowed)
}

/// Shows what the daemon sends, and asks at the terminal if there is one, until the user ends it.
pub(crate) fn attend(
    settings: &Settings,
    client: OperatorClient,
    wires: &Wires,
) -> Result<(), Failure> {
    let (bell, here) = (wires.bell(), same_terminal(io::stdin(), io::stdout()));
    if here {
        let greeting = "watching; /help says what can be typed, Ctrl-C ends it";
        bell.news(News::Said(greeting.to_owned()));
    }
    let surface = if here { own_surface() } else { None };
    let filter = EventFilter { surface: surface.clone(), request: None };
    let _feed = Feed::start(&client, bell, filter);
    let operator = DaemonOperator::new(client, surface);
    let done = if here {
        let device = terminal(settings, io::stdout())?;
        let desk = Desk::new(Heard::Typed, erasing(settings));
        let seat = Seat::take(desk, device, operator, MonotonicClock);
        seat.and_then(|seat| sit(seat, wires, Until::Ended))
    } else {
        let console = Pipe::new(clone_fd(io::stdout()).map_err(terminal_failure)?);
        let desk = Desk::new(Heard::Nothing, Erasing::Anew);
        let seat = Seat::take(desk, console, operator, MonotonicClock);
        seat.and_then(|seat| sit(seat, wires, Until::Ended))
    };
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
        done => done.map_err(terminal_failure),
    }
}

/// Takes over the terminal of stdin and this output.
fn terminal(settings: &Settings, output: impl AsFd) -> Result<Device, Failure> {
    let brackets = if settings.is_dumb { Brackets::NotAsked } else { Brackets::Asked };
    let streams = clone_fd(io::stdin()).and_then(|input| Ok((input, clone_fd(output)?)));
    let device = streams.and_then(|(input, output)| Device::open(input, output, brackets));
    device.map_err(terminal_failure)
}

fn erasing(settings: &Settings) -> Erasing {
    if settings.is_dumb { Erasing::Anew } else { Erasing::Back }
}

fn clone_fd(stream: impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// When the loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Ended,
    /// When nothing is asked any more, or at this time.
    Answered(Option<Duration>),
}

/// Handles keys, news, signals and timeouts, whichever comes first.
fn sit<C: Console, O: Operator>(
    mut seat: Seat<C, O, MonotonicClock>,
    wires: &Wires,
    until: Until,
) -> io::Result<()> {
    loop {
        while let Some(input) = wires.next() {
            match input {
                Input::News(news) => seat.came(*news)?,
                Input::Interrupted => seat.interrupted()?,
                Input::Suspended => seat.suspend(wires::stop)?,
                Input::Over => seat.quit()?,
            }
            if seat.desk().is_over() {
                return Ok(());
            }
        }
        let left = match until {
            Until::Answered(_) if seat.desk().waiting() == 0 => return Ok(()),
            Until::Answered(Some(end)) if MonotonicClock.now() >= end => return seat.quit(),
            Until::Answered(end) => end.map(|end| end.saturating_sub(MonotonicClock.now())),
            Until::Ended => None,
        };
        let most = [left, seat.wait()].into_iter().flatten().min();
        wires.wait(seat.console().input(), most)?;
        seat.read()?;
        seat.tick()?;
        if seat.desk().is_over() {
            return Ok(());
        }
    }
}

fn terminal_failure(error: io::Error) -> Failure {
    let message = format!("the terminal went away: {error}");
    Failure::no_operator(message, "what was not answered is still open")
}
