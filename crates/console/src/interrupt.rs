//! Lets a command wait until a timeout or Ctrl-C.

use crate::failure::Failure;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitResult {
    TimedOut,
    Interrupted,
}

pub struct Interrupt {
    runtime: Runtime,
    signal: Signal,
}

impl Interrupt {
    /// From here on Ctrl-C ends a wait instead of the program.
    pub fn listen() -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(signal_failure)?;
        let signal = runtime.block_on(async { signal(SignalKind::interrupt()) });
        Ok(Self { signal: signal.map_err(signal_failure)?, runtime })
    }

    #[allow(clippy::disallowed_methods, reason = "how long a person waits decides no call")]
    pub fn wait(&mut self, timeout: Duration) -> WaitResult {
        let signal = &mut self.signal;
        let received =
            self.runtime.block_on(async { tokio::time::timeout(timeout, signal.recv()).await });
        if received.is_ok() { WaitResult::Interrupted } else { WaitResult::TimedOut }
    }
}

/// Signals cannot be received.
pub fn signal_failure(error: std::io::Error) -> Failure {
    Failure::new(format!("signals such as Ctrl-C cannot be received: {error}"), "try again")
}
