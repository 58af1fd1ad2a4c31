//! The processes of applications that carry out calls.
//!
//! An application reports how its call ended. If its process is killed first, nobody knows what
//! happened: as soon as the kernel says that the process has ended, its calls are recorded as unknown.
//! Without that they would count as running until their session ends.
//!
//! See docs/decisions/0139-applications.md.

use crate::limits::MAX_APPLICATION_PROCESSES;
use countersign_core::model::ids::CallId;
use countersign_engine::{AgentReport, SessionOwner};
use countersign_host::Host;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Default)]
pub(crate) struct ApplicationProcesses {
    /// The calls that each process carries out. A process is watched as long as it is in here.
    running: Mutex<HashMap<i32, HashMap<CallId, SessionOwner>>>,
}

impl ApplicationProcesses {
    /// A process carries out a call from now on.
    pub(crate) fn start(
        self: &Arc<Self>,
        host: &Arc<Host>,
        pid: Option<i32>,
        (call, owner): (CallId, SessionOwner),
    ) {
        let Some(pid) = pid else { return };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = running.get_mut(&pid) {
            calls.insert(call, owner);
            return;
        }
        if running.len() >= MAX_APPLICATION_PROCESSES {
            return;
        }
        running.insert(pid, HashMap::from([(call, owner)]));
        let (processes, host) = (Arc::clone(self), Arc::clone(host));
        tokio::spawn(async move {
            wait_for_exit(pid).await;
            processes.record_exit(&host, pid).await;
        });
    }

    /// The call has ended, and its process said so.
    pub(crate) fn end(&self, call: CallId) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for calls in running.values_mut() {
            calls.remove(&call);
        }
    }

    async fn record_exit(&self, host: &Host, pid: i32) {
        let left = self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
        for (call, owner) in left.unwrap_or_default() {
            // A call that ended meanwhile stays as it is. Where the record takes nothing, the next
            // start records it as unknown.
            let _ended = host.report_outcome(call, owner, AgentReport::Unknown).await;
        }
    }
}

/// Returns at once if there is no such process, or if the kernel cannot watch it: what happened is
/// unknown then, too.
async fn wait_for_exit(pid: i32) {
    let Some(watched) = open_process(pid) else { return };
    if let Ok(watched) = watch_readable(watched) {
        let _exited = watched.readable().await;
    }
}

#[allow(deprecated, reason = "the replacement is unsafe; a descriptor that is owned stays open")]
fn watch_readable(watched: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(watched, Interest::READABLE)
}

fn open_process(pid: i32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(pid)?;
    loop {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(watched) => return Some(watched),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}
