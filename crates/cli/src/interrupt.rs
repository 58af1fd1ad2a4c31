//! Ctrl-C, for commands that wait: waiting is an event or a time that is over.

use crate::failure::Failure;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// The time is over, and nobody has said stop.
    InVain,
    Interrupted,
}

pub(crate) struct Interrupt {
    runtime: Runtime,
    signal: Signal,
}

impl Interrupt {
    /// From here on Ctrl-C ends a wait instead of the program.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(deaf)?;
        let signal = runtime.block_on(async { signal(SignalKind::interrupt()) }).map_err(deaf)?;
        Ok(Self { runtime, signal })
    }

    #[allow(clippy::disallowed_methods, reason = "how long a person waits decides no call")]
    pub(crate) fn wait(&mut self, most: Duration) -> Waited {
        let signal = &mut self.signal;
        let waited =
            self.runtime.block_on(async { tokio::time::timeout(most, signal.recv()).await });
        if waited.is_ok() { Waited::Interrupted } else { Waited::InVain }
    }
}

fn deaf(error: std::io::Error) -> Failure {
    Failure::new(format!("Ctrl-C cannot be listened for: {error}"), "try again")
}
