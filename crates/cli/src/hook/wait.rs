//! Waits for the answer to a call while the program waits for its hook.
//!
//! Programs end a hook with a signal, for example if their user says no in the program's own prompt.
//! If the program wrote that no down, it is a decline; otherwise the question is withdrawn, because
//! it has no call any more.

use super::daemon::HookDaemon;
use super::rejection::RejectionWatch;
use crate::limits;
use countersign_api::{CheckResponse, Millis, OperationState, SurfaceReach, WaitRequest};
use countersign_console::{Failure, signal_failure};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionName;
use countersign_core::model::words::Reason;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot::Receiver;
use tokio::time::{sleep, timeout};

/// How a wait ended.
pub(super) enum WaitEnd {
    Answered(Box<CheckResponse>),
    TimedOut,
    /// The program has run the tool meanwhile: its user said yes in the program's own prompt.
    CarriedOut,
    /// The program ended the hook.
    Terminated,
}

/// Receives the signals with which programs end a hook, from the moment it is made.
pub(super) struct Termination {
    runtime: Runtime,
    signals: [Signal; 3],
}

impl Termination {
    pub(super) fn listen() -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(signal_failure)?;
        let listen = |kind| runtime.block_on(async { signal(kind) }).map_err(signal_failure);
        let signals = [
            listen(SignalKind::terminate())?,
            listen(SignalKind::interrupt())?,
            listen(SignalKind::hangup())?,
        ];
        Ok(Self { runtime, signals })
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "no kernel event tells of a line in a transcript; how often it is read decides no call"
    )]
    fn wait_for(
        &mut self,
        mut answered: Receiver<WaitResult>,
        watch: &mut Option<RejectionWatch<'_>>,
    ) -> Result<WaitEvent, Failure> {
        let [terminate, interrupt, hangup] = &mut self.signals;
        self.runtime.block_on(async {
            loop {
                tokio::select! {
                    state = &mut answered => return state.map(WaitEvent::State).map_err(|_| {
                        let why = "the wait for an answer ended by itself";
                        Failure::new(why, "report this as a bug")
                    }),
                    _ = terminate.recv() => break,
                    _ = interrupt.recv() => break,
                    _ = hangup.recv() => break,
                    () = sleep(limits::REJECTION_POLL), if watch.is_some() => {
                        watch.as_mut().map(RejectionWatch::report_new);
                    }
                }
            }
            if let Some(watch) = watch {
                let find = async {
                    while !watch.report_new() {
                        sleep(limits::REJECTION_POLL).await
                    }
                };
                let _found_or_not = timeout(limits::REJECTION_WAIT, find).await;
            }
            Ok(WaitEvent::Signal)
        })
    }
}

type WaitResult = Result<OperationState, Failure>;

enum WaitEvent {
    State(WaitResult),
    Signal,
}

/// After a signal the question is withdrawn, and that ends the wait of the thread too.
pub(super) fn wait_for_answer(
    daemon: &HookDaemon,
    (session, call): (&SessionName, CallId),
    reach: SurfaceReach,
    (mut termination, mut watch): (Termination, Option<RejectionWatch<'_>>),
) -> Result<WaitEnd, Failure> {
    let limit = match reach {
        SurfaceReach::Attached => limits::HOOK_WAIT,
        SurfaceReach::None => limits::HOOK_WAIT_UNSEEN,
    };
    let end = std::thread::scope(|scope| {
        let (sender, answered) = tokio::sync::oneshot::channel();
        let waiting = move || {
            let _nobody = sender.send(wait_until(daemon, (session, call), limit));
        };
        std::thread::Builder::new().spawn_scoped(scope, waiting).map_err(signal_failure)?;
        let end = termination.wait_for(answered, &mut watch);
        if matches!(end, Ok(WaitEvent::Signal)) {
            let _too_late = daemon.send(|agent| agent.cancel(call, session));
        }
        end
    })?;
    match end {
        WaitEvent::Signal => Ok(WaitEnd::Terminated),
        WaitEvent::State(Err(failure)) => Err(failure),
        WaitEvent::State(Ok(state)) => match state {
            OperationState::Pending => Ok(WaitEnd::TimedOut),
            OperationState::Executing
            | OperationState::Done
            | OperationState::Failed
            | OperationState::None
            | OperationState::Forbidden
            | OperationState::Unknown => Ok(WaitEnd::CarriedOut),
            OperationState::Approved
            | OperationState::Denied
            | OperationState::Declined
            | OperationState::Expired
            | OperationState::Stopped
            | OperationState::Cancelled => {
                let response = daemon.send(|agent| agent.retry(call, session))?;
                // Another hook of the program may have started the call since.
                let is_running = response.reason == Reason::Running;
                Ok(if is_running {
                    WaitEnd::CarriedOut
                } else {
                    WaitEnd::Answered(Box::new(response))
                })
            }
        },
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a program waits decides no call")]
fn wait_until(
    daemon: &HookDaemon,
    (session, call): (&SessionName, CallId),
    limit: Duration,
) -> Result<OperationState, Failure> {
    let until = Instant::now() + limit;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let slice = left.min(limits::HOOK_WAIT_SLICE);
        let request = WaitRequest { session: session.clone(), wait_ms: to_millis(slice) };
        let timeout = slice + limits::DAEMON_TIMEOUT;
        let response = daemon.send_within(timeout, |agent| agent.wait(call, &request))?;
        if response.state != OperationState::Pending || left <= slice {
            return Ok(response.state);
        }
    }
}

fn to_millis(duration: Duration) -> Millis {
    let millis = u64::try_from(duration.as_millis()).unwrap_or_default();
    Millis::try_from(millis).unwrap_or_default()
}
