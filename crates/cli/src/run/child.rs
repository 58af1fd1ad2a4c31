//! The child process: it inherits our streams, runs in the pinned folder, and gets the signals that we receive.

use super::environment::Environment;
use super::pinned::PinnedFolder;
use super::program::ProgramToRun;
use countersign_console::Failure;
use rustix::process::{Pid, Signal, kill_process};
use std::fmt::Display;
use std::io::IsTerminal;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChildExit {
    Code(u8),
    Signal(u8),
}

impl ChildExit {
    fn from_status(status: ExitStatus) -> Self {
        let number = |value: i32| u8::try_from(value).unwrap_or(u8::MAX);
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(number(code)),
            (None, signal) => Self::Signal(signal.map_or(0, number)),
        }
    }

    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => 128_u8.saturating_add(number),
        }
    }
}

pub(super) struct ChildProcess {
    child: Child,
    runtime: Runtime,
    signals: [SignalStream; 4],
}

impl ChildProcess {
    /// If this fails, the command did not run.
    pub(super) fn start(
        program: &ProgramToRun,
        folder: &PinnedFolder,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let words = program.executed_words();
        let (name, rest) =
            words.split_first().ok_or_else(|| start_failure(&"there is no command"))?;
        let mut command = Command::new(program.executable_path());
        command.arg0(name).args(rest).env_clear().envs(environment.variables());
        // The variable of our caller may name another folder.
        command.current_dir(folder.descriptor_path()).env("PWD", folder.path());
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| start_failure(&error))?;
        // Before the start, so that no signal is lost.
        let signals = runtime.block_on(async { listen() })?;
        let child = command.spawn().map_err(|error| start_failure(&error))?;
        Ok(Self { child, runtime, signals })
    }

    pub(super) fn wait(self) -> Result<ChildExit, Failure> {
        let Self { mut child, runtime, signals } = self;
        runtime.block_on(async {
            let pid = Pid::from_child(&child);
            let exit = tokio::task::spawn_blocking(move || child.wait());
            tokio::pin!(exit);
            let [mut hangup, mut terminate, mut interrupt, mut quit] = signals;
            // A terminal sends these two to the child as well.
            let forward = !std::io::stdin().is_terminal();
            loop {
                let signal = tokio::select! {
                    exit = &mut exit => {
                        let status = exit.map_err(|error| wait_failure(&error))?;
                        let status = status.map_err(|error| wait_failure(&error))?;
                        return Ok(ChildExit::from_status(status));
                    }
                    _ = hangup.recv() => Some(Signal::HUP),
                    _ = terminate.recv() => Some(Signal::TERM),
                    _ = interrupt.recv() => forward.then_some(Signal::INT),
                    _ = quit.recv() => forward.then_some(Signal::QUIT),
                };
                if let Some(signal) = signal {
                    // The child may have ended in this moment.
                    let _gone = kill_process(pid, signal);
                }
            }
        })
    }
}

fn listen() -> Result<[SignalStream; 4], Failure> {
    let listen = |kind| signal(kind).map_err(|error| start_failure(&error));
    Ok([
        listen(SignalKind::hangup())?,
        listen(SignalKind::terminate())?,
        listen(SignalKind::interrupt())?,
        listen(SignalKind::quit())?,
    ])
}

fn start_failure(why: &dyn Display) -> Failure {
    let help = "check the program, and try again";
    Failure::new(format!("the command could not be started: {why}"), help)
}

fn wait_failure(why: &dyn Display) -> Failure {
    let help = "check whether it is still running";
    Failure::new(format!("the command was started, but its end is unknown: {why}"), help)
}
