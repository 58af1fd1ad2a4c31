//! `watch`: shows what comes, and takes answers where a person sits at a terminal.
//!
//! What counts as an answer is for `countersign-terminal` to know. Here the terminal, the daemon's
//! events and the signals are brought together, until somebody ends it.

mod daemon;
mod feed;
mod lists;
mod wires;

pub(crate) use feed::Feed;
pub(crate) use wires::{Bell, Input, Wires};

use daemon::AtDaemon;

use crate::args::WatchArgs;
use crate::clock::Ticking;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::settings::Settings;
use countersign_client::Client;
use countersign_terminal::{
    Brackets, Console, Desk, Device, Erasing, Heard, Operator, Pipe, Seat, same_terminal,
};
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

pub(crate) fn watch(args: &WatchArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    // Whoever mistyped the folder wants to hear it at once.
    client.get("/v1/status")?;
    if args.daemon.json {
        return as_json(&client);
    }
    let wires = Wires::new()?;
    wires.listen_for_signals()?;
    let feed = Feed::start(&client, wires.bell())?;
    let done = attend(settings, client, &wires);
    drop(feed);
    done.map(|()| Exit::Allowed)
}

/// Shows and asks at the terminal, if there is one, until it is over.
pub(crate) fn attend(settings: &Settings, client: Client, wires: &Wires) -> Result<(), Failure> {
    let operator = AtDaemon::new(client);
    let done = match terminal(settings)? {
        Some(device) => {
            let desk = Desk::new(Heard::Typed, erasing(settings));
            Seat::take(desk, device, operator, Ticking).and_then(|seat| sit(seat, wires))
        }
        None => {
            let console = Pipe::new(own(io::stdout()).map_err(lost)?);
            let desk = Desk::new(Heard::Nothing, Erasing::Anew);
            Seat::take(desk, console, operator, Ticking).and_then(|seat| sit(seat, wires))
        }
    };
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Unheard),
        done => done.map_err(lost),
    }
}

/// The terminal where somebody can type and sees what is shown.
pub(crate) fn terminal(settings: &Settings) -> Result<Option<Device>, Failure> {
    if !same_terminal(io::stdin(), io::stdout()) {
        return Ok(None);
    }
    let brackets = if settings.dumb { Brackets::NotAsked } else { Brackets::Asked };
    let streams = own(io::stdin()).and_then(|input| Ok((input, own(io::stdout())?)));
    let device = streams.and_then(|(input, output)| Device::open(input, output, brackets));
    device.map(Some).map_err(lost)
}

pub(crate) fn erasing(settings: &Settings) -> Erasing {
    if settings.dumb { Erasing::Anew } else { Erasing::Back }
}

pub(crate) fn own(stream: impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// Whatever comes first: a key, news, a signal, a time.
pub(crate) fn sit<C: Console, O: Operator>(
    mut seat: Seat<C, O, Ticking>,
    wires: &Wires,
) -> io::Result<()> {
    loop {
        while let Some(input) = wires.next() {
            match input {
                Input::News(news) => seat.came(*news)?,
                Input::Interrupted => seat.interrupted()?,
                Input::Suspended => seat.suspend(stop)?,
                Input::Over => seat.quit()?,
            }
            if seat.desk().is_over() {
                return Ok(());
            }
        }
        wires.wait(seat.console().input(), seat.wait())?;
        seat.read()?;
        seat.tick()?;
        if seat.desk().is_over() {
            return Ok(());
        }
    }
}

/// Stops like any other program that Ctrl-Z was meant for; goes on when it is called back.
fn stop() {
    // It cannot be refused; if it were, we would simply go on.
    let _refused = kill_process(getpid(), Signal::STOP);
}

/// Every event as one line, for programs.
fn as_json(client: &Client) -> Result<Exit, Failure> {
    for event in client.events(None)? {
        let event = event?;
        let line = serde_json::json!({"seq": event.seq, "kind": event.kind, "data": event.data});
        out::show_json(&line)?;
    }
    Err(Failure::new("the daemon has ended", "start it with `countersign serve`"))
}

fn lost(error: io::Error) -> Failure {
    let message = format!("the terminal went away: {error}");
    Failure::no_operator(message, "what was not answered is still open")
}
