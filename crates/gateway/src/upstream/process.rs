//! A server on stdio: a child process that we started.
//!
//! Its input is closed when nobody uses it any more; if it does not end then, it is killed, with
//! everything that it started in its process group.

use super::confine::restrict_thread;
use super::inbox::Inbox;
use super::stdio::{StderrTail, StdioChannel, read_messages};
use crate::limits;
use crate::locks::lock;
use crate::spec::{Confinement, ProcessSpec};
use rustix::process::{Pid, Signal, kill_process_group};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Starts a server, and delivers what it writes.
pub(super) async fn start_process(
    spec: ProcessSpec,
    own_folders: Vec<PathBuf>,
    inbox: Arc<Inbox>,
) -> Result<StdioChannel, String> {
    let program = spec.command.first().cloned().unwrap_or_default();
    let mut child = spawn(spec, own_folders)
        .await
        .map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(format!("`{program}` has no standard streams"));
    };
    let stderr_tail = StderrTail::default();
    tokio::spawn(keep_stderr_tail(stderr, Arc::clone(&stderr_tail)));
    let (channel, unused) = StdioChannel::new(stdin, stderr_tail);
    tokio::spawn(async move {
        read_messages(stdout, inbox, unused).await;
        // A process that still writes was not held up until it is killed.
        end_process(&mut child).await;
    });
    Ok(channel)
}

/// Starts the process from a thread of its own, because a thread's confinement cannot be lifted.
async fn spawn(spec: ProcessSpec, own_folders: Vec<PathBuf>) -> std::io::Result<Child> {
    let (sender, receiver) = oneshot::channel();
    let runtime = Handle::current();
    std::thread::Builder::new().name("start-server".to_owned()).spawn(move || {
        let _entered = runtime.enter();
        if spec.confinement == Confinement::OwnFoldersReadOnly {
            restrict_thread(&own_folders);
        }
        let _nobody = sender.send(build_command(&spec).spawn());
    })?;
    receiver.await.unwrap_or_else(|_| Err(std::io::Error::other("the starting thread ended")))
}

fn build_command(spec: &ProcessSpec) -> Command {
    let (program, arguments) =
        spec.command.split_first().map_or(("", [].as_slice()), |(p, rest)| (p.as_str(), rest));
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(spec.environment.iter().map(|(k, v)| (k, v)));
    if let Some(folder) = &spec.folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    command
}

async fn keep_stderr_tail(mut stderr: ChildStderr, stderr_tail: StderrTail) {
    let mut chunk = vec![0; limits::STDERR_BYTES];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        let text = String::from_utf8_lossy(chunk.get(..length).unwrap_or_default()).into_owned();
        let mut words = lock(&stderr_tail);
        words.push_str(&text);
        let surplus = words.len().saturating_sub(limits::STDERR_BYTES);
        let cut = (surplus..words.len()).find(|at| words.is_char_boundary(*at)).unwrap_or(0);
        words.drain(..cut);
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a child process may take decides no call")]
async fn end_process(child: &mut Child) {
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if timeout(limits::EXIT_GRACE, child.wait()).await.is_ok() {
        return;
    }
    if let Some(group) = group {
        let _gone = kill_process_group(group, Signal::KILL);
    }
    let _reaped = child.wait().await;
}
