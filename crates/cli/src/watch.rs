//! `watch`: shows what comes, and takes answers where a person sits at a terminal.
//!
//! What counts as an answer is for `countersign-terminal` to know. Here the terminal, the daemon's
//! events and the signals are brought together, until somebody ends it.

mod asking;
mod daemon;
mod feed;
mod lines;
mod lists;
mod wires;

pub(crate) use asking::check;
pub(crate) use wires::{Bell, Wires};

use crate::args::WatchArgs;
use crate::clock::Ticking;
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
    // Whoever mistyped the folder wants to hear it at once.
    client.status()?;
    if args.daemon.json {
        return lines::print(client);
    }
    let wires = Wires::new()?;
    wires.listen_for_signals()?;
    attend(settings, client, &wires)?;
    Ok(Exit::Allowed)
}

/// Shows what a daemon tells, and asks at the terminal, if there is one, until it is over.
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
        let seat = Seat::take(desk, device, operator, Ticking);
        seat.and_then(|seat| sit(seat, wires, Until::Ended))
    } else {
        let console = Pipe::new(own(io::stdout()).map_err(lost)?);
        let desk = Desk::new(Heard::Nothing, Erasing::Anew);
        let seat = Seat::take(desk, console, operator, Ticking);
        seat.and_then(|seat| sit(seat, wires, Until::Ended))
    };
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Unheard),
        done => done.map_err(lost),
    }
}

/// Takes the terminal over at which somebody types and sees what is shown.
fn terminal(settings: &Settings, output: impl AsFd) -> Result<Device, Failure> {
    let brackets = if settings.dumb { Brackets::NotAsked } else { Brackets::Asked };
    let streams = own(io::stdin()).and_then(|input| Ok((input, own(output)?)));
    let device = streams.and_then(|(input, output)| Device::open(input, output, brackets));
    device.map_err(lost)
}

fn erasing(settings: &Settings) -> Erasing {
    if settings.dumb { Erasing::Anew } else { Erasing::Back }
}

fn own(stream: impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// How long somebody sits here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Ended,
    /// Until nothing is asked any more, or this time has come.
    Answered(Option<Duration>),
}

/// Whatever comes first: a key, news, a signal, a time.
fn sit<C: Console, O: Operator>(
    mut seat: Seat<C, O, Ticking>,
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
            Until::Answered(Some(end)) if Ticking.now() >= end => return seat.quit(),
            Until::Answered(end) => end.map(|end| end.saturating_sub(Ticking.now())),
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

fn lost(error: io::Error) -> Failure {
    let message = format!("the terminal went away: {error}");
    Failure::no_operator(message, "what was not answered is still open")
}
