//! A server on stdio: a child process that we started.
//!
//! Its input is closed when nobody uses it any more; if it does not end then, it is killed, with
//! everything that it started in its process group.

use super::confine::restrict_thread;
use super::inbox::{Inbox, SendError};
use crate::limits;
use crate::locks::lock;
use crate::spec::{Confinement, ProcessSpec};
use crate::wire::{Line, Message, find_ids, read_line};
use rustix::process::{Pid, Signal, kill_process_group};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, oneshot};
use tokio::time::timeout;

pub(super) struct ProcessChannel {
    stdin: AsyncMutex<ChildStdin>,
    stderr_tail: StderrTail,
    /// Dropped with the channel: then the process is given some time to end.
    _in_use: oneshot::Sender<()>,
}

/// The end of what the process wrote to stderr.
type StderrTail = Arc<Mutex<String>>;

impl ProcessChannel {
    pub(super) async fn start(
        spec: ProcessSpec,
        own_folders: Vec<PathBuf>,
        inbox: Arc<Inbox>,
    ) -> Result<Self, String> {
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
        let (in_use, unused) = oneshot::channel();
        tokio::spawn(read_messages(child, stdout, inbox, unused));
        Ok(Self { stdin: AsyncMutex::new(stdin), stderr_tail, _in_use: in_use })
    }

    pub(super) async fn write(&self, mut text: String) -> Result<(), SendError> {
        // A line break inside a message would end it.
        if text.contains('\n') || text.contains('\r') {
            text.retain(|c| c != '\n' && c != '\r');
        }
        text.push('\n');
        let mut stdin = self.stdin.lock().await;
        stdin.write_all(text.as_bytes()).await.map_err(|_| SendError::Unsure(self.describe_end()))
    }

    pub(super) fn describe_end(&self) -> String {
        let words = lock(&self.stderr_tail);
        match words.trim() {
            "" => "the server has ended".to_owned(),
            words => {
                let line = words.lines().last().unwrap_or_default();
                format!("the server has ended; its last line on stderr: {line}")
            }
        }
    }
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

async fn read_messages(
    mut child: Child,
    stdout: ChildStdout,
    inbox: Arc<Inbox>,
    mut unused: oneshot::Receiver<()>,
) {
    let mut reader = BufReader::new(stdout);
    let mut garbage = 0_u32;
    loop {
        let line = tokio::select! {
            line = read_line(&mut reader) => line,
            _ = &mut unused => break,
        };
        match line {
            Ok(Line::Text(text)) => {
                let ids = find_ids(&text).iter().filter_map(|id| id.parse().ok()).collect();
                match Message::parse(text) {
                    Ok(message) => inbox.deliver(message, None).await,
                    Err(why) => {
                        inbox.refuse_responses(ids, &why.to_string());
                        garbage += 1;
                    }
                }
            }
            Ok(Line::NotUtf8) => garbage += 1,
            // Somebody may wait for it. Better that they learn now that it will not come.
            Ok(Line::TooLong | Line::End) | Err(_) => break,
        }
        if garbage > limits::MAX_GARBAGE_LINES {
            break;
        }
    }
    inbox.close();
    // A process that still writes is not held up until it is killed.
    drop(reader);
    end_process(&mut child).await;
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
