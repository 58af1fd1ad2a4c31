//! Reaches the daemon, and starts it if it is not running and agents are our own user.

use crate::limits;
use crate::settings::Settings;
use countersign_client::Connection;
use countersign_console::{Failure, Page, out};
use countersign_server::AgentAccess;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn reach_daemon(
    data: Option<&Path>,
    timeout: Duration,
    settings: &Settings,
) -> Result<Connection, Failure> {
    let folder = data.map_or_else(|| settings.data(), |data| Ok(data.to_owned()))?;
    let socket = settings.agent_socket(&folder);
    let is_away = |error: &std::io::Error| {
        matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
    };
    let is_own = settings.sockets(&folder)?.access == AgentAccess::OwnUser;
    if is_own && UnixStream::connect(&socket).is_err_and(|error| is_away(&error)) {
        start_daemon(&folder, &socket, limits::DAEMON_START, DaemonEnvironment::Ours)?;
    }
    Ok(Connection::new(&socket, timeout).with_token(settings.token()?))
}

/// What a daemon that is started finds in its environment.
pub(crate) enum DaemonEnvironment<'a> {
    Ours,
    Only(&'a [(&'static str, OsString)]),
}

/// Two clients may start it at the same time. The second daemon finds the record in use and ends, and
/// the first one answers.
#[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
pub(crate) fn start_daemon(
    folder: &Path,
    socket: &Path,
    timeout: Duration,
    environment: DaemonEnvironment<'_>,
) -> Result<(), Failure> {
    let failure = |why: &dyn std::fmt::Display| {
        let help = "run `countersign serve` to see why";
        Failure::new(format!("the daemon is not running and cannot be started: {why}"), help)
    };
    let program = std::env::current_exe().map_err(|error| failure(&error))?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--data").arg(folder);
    if let DaemonEnvironment::Only(variables) = environment {
        // Nothing of whatever project starts it must decide for all of them.
        command.env_clear().envs(variables.iter().cloned()).current_dir("/");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|error| failure(&error))?;
    let until = Instant::now() + timeout;
    wait_for_greeting(child.stdout.take(), timeout);
    // Another client may have started one, which is not ready yet.
    while UnixStream::connect(socket).is_err() {
        if Instant::now() >= until {
            return Err(failure(&"it does not answer"));
        }
        std::thread::park_timeout(limits::DAEMON_START_POLL);
    }
    if child.try_wait().is_ok_and(|ended| ended.is_some()) {
        // The one that answers is another client's.
        return Ok(());
    }
    let line = format!(
        "countersign: the daemon was not running; started it (process {}), answer its questions \
         with `countersign watch`",
        child.id()
    );
    out::eprint(&Page::from_line(&line));
    Ok(())
}

/// The daemon greets when it is ready. Without a greeting its output ends, or the time is over.
pub(crate) fn wait_for_greeting(stdout: Option<ChildStdout>, timeout: Duration) {
    let (sender, greeted) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _read = stdout.map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let _nobody = sender.send(());
    });
    let _late = greeted.recv_timeout(timeout);
}
