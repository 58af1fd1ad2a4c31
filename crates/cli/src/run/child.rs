//! The command as it runs: its own streams and folder, and signals that are passed on to it.

use super::environment::Environment;
use super::program::Held;
use crate::failure::Failure;
use rustix::process::{Pid, Signal as Number, kill_process};
use std::io::IsTerminal;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Code(u8),
    Signal(u8),
}

impl Ended {
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => 128_u8.saturating_add(number),
        }
    }
}

/// A command that was started.
pub(super) struct Running {
    child: Child,
    runtime: Runtime,
    passed_on: [Heard; 4],
}

impl Running {
    /// Where this fails, nothing of the command has run.
    pub(super) fn start(held: &Held, environment: &Environment) -> Result<Self, Failure> {
        let words = held.words();
        let (name, rest) = words.split_first().ok_or_else(|| unstarted("there is no command"))?;
        let mut command = Command::new(held.start());
        command.arg0(name).args(rest).env_clear().envs(environment.all());
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unstarted(&error.to_string()))?;
        // Before it starts, so that none is lost.
        let passed_on = runtime.block_on(async { listen() })?;
        let child = command.spawn().map_err(|error| unstarted(&error.to_string()))?;
        Ok(Self { child, runtime, passed_on })
    }

    pub(super) fn ended(self) -> Result<Ended, Failure> {
        let Self { child, runtime, passed_on } = self;
        runtime.block_on(async {
            let pid = Pid::from_child(&child);
            let ended = tokio::task::spawn_blocking(move || wait(child));
            tokio::pin!(ended);
            let [mut hangup, mut terminate, mut interrupt, mut quit] = passed_on;
            // A terminal sends these to everybody in front of it, and the command hears them itself.
            let alone = !std::io::stdin().is_terminal();
            loop {
                let number = tokio::select! {
                    ended = &mut ended => {
                        let ended = ended.map_err(|error| lost(&error.to_string()))?;
                        return ended.map(of).map_err(|error| lost(&error.to_string()));
                    }
                    _ = hangup.recv() => Some(Number::HUP),
                    _ = terminate.recv() => Some(Number::TERM),
                    _ = interrupt.recv() => alone.then_some(Number::INT),
                    _ = quit.recv() => alone.then_some(Number::QUIT),
                };
                if let Some(number) = number {
                    // It may have ended this very moment.
                    let _gone = kill_process(pid, number);
                }
            }
        })
    }
}

fn wait(mut child: Child) -> std::io::Result<ExitStatus> {
    child.wait()
}

type Heard = tokio::signal::unix::Signal;

fn listen() -> Result<[Heard; 4], Failure> {
    let on = |kind| signal(kind).map_err(|error| unstarted(&error.to_string()));
    Ok([
        on(SignalKind::hangup())?,
        on(SignalKind::terminate())?,
        on(SignalKind::interrupt())?,
        on(SignalKind::quit())?,
    ])
}

fn of(status: ExitStatus) -> Ended {
    let number = |found: i32| u8::try_from(found).unwrap_or(u8::MAX);
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Code(number(code)),
        (None, found) => Ended::Signal(found.map_or(0, number)),
    }
}

fn unstarted(why: &str) -> Failure {
    Failure::new(format!("it could not be started: {why}"), "look at the program, and try again")
}

fn lost(why: &str) -> Failure {
    let help = "look whether it still runs";
    Failure::new(format!("it was started, and how it ended is not known: {why}"), help)
}
