//! `stop` and `restart`: ends the daemon of a folder, and starts it again as it was.

use crate::daemon_option::DaemonOption;
use crate::daemon_start::wait_for_greeting;
use crate::limits;
use crate::settings::Settings;
use clap::Args;
use countersign_console::{BOLD, DIM, Exit, Failure, Page, is_confirmed, out};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::json;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Args)]
#[command(
    about = "Stop the daemon",
    before_help = "\
Examples:
  countersign stop
  countersign stop --data /srv/countersign

What waits for an answer stays on record. The hooks of coding agents and MCP clients start the
daemon again with their next call; while it does not run, their calls are blocked. To deny
everything and keep the daemon, use `countersign pause --all`."
)]
pub(crate) struct StopArgs {
    #[command(flatten)]
    daemon: DaemonOption,
}

#[derive(Args)]
#[command(
    about = "Stop the daemon, and start it again as it was",
    before_help = "\
Examples:
  countersign restart        after an update of the program, or of the settings

It gets the same arguments, environment and working folder again. A changed graph needs no
restart."
)]
pub(crate) struct RestartArgs {
    #[command(flatten)]
    daemon: DaemonOption,
}

pub(crate) fn stop(args: &StopArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.daemon.folder(settings)?;
    let Some(daemon) = RunningDaemon::find(&folder)? else {
        return args.daemon.print(&json!({"stopped": null}), || {
            Page::from_line(&format!("no daemon runs for {}", folder.display()))
        });
    };
    daemon.end()?;
    let pid = daemon.pid.as_raw_pid();
    args.daemon.print(&json!({"stopped": pid}), || {
        let mut page = Page::new();
        page.text("stopped the daemon ").styled(DIM, &format!("(process {pid})")).end();
        page.text("What waits stays on record. The next call of a guarded agent starts it again;");
        page.end().text("to deny everything instead: ").styled(BOLD, "countersign pause --all");
        page.end();
        page
    })
}

pub(crate) fn restart(args: &RestartArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.daemon.folder(settings)?;
    let Some(daemon) = RunningDaemon::find(&folder)? else {
        let message = format!("no daemon runs for {}", folder.display());
        return Err(Failure::new(message, "start it with `countersign serve`"));
    };
    let start = StartCommand::read(daemon.pid)?;
    daemon.end()?;
    let pid = start.run()?;
    args.daemon.print(&json!({"started": pid}), || {
        let mut page = Page::new();
        page.text("the daemon runs again ").styled(DIM, &format!("(process {pid})")).end();
        page
    })
}

/// After `uninstall`: nobody needs the daemon any more, unless something else asks it.
pub(crate) fn offer_to_stop(settings: &Settings) -> Result<(), Failure> {
    let Some(daemon) = RunningDaemon::find(&settings.data()?)? else { return Ok(()) };
    let pid = daemon.pid.as_raw_pid();
    if !std::io::stdin().is_terminal() {
        let line = format!("the daemon still runs (process {pid}): `countersign stop` ends it");
        return out::show(&Page::from_line(&line));
    }
    if is_confirmed(&format!("The daemon still runs (process {pid}). Stop it?"))? {
        daemon.end()?;
        out::show(&Page::from_line("stopped the daemon"))?;
    }
    Ok(())
}

struct RunningDaemon {
    pid: Pid,
    process: OwnedFd,
}

impl RunningDaemon {
    /// The process that answers at the operator's socket, which only the operator can open.
    fn find(folder: &Path) -> Result<Option<Self>, Failure> {
        let socket = folder.join("operator.sock");
        let Ok(stream) = UnixStream::connect(&socket) else { return Ok(None) };
        let peer = socket_peercred(&stream).map_err(|error| fail(&"find the daemon", error))?;
        let process = pidfd_open(peer.pid, PidfdFlags::empty());
        let process = process.map_err(|error| fail(&"find the daemon", error))?;
        Ok(Some(Self { pid: peer.pid, process }))
    }

    /// Asks it to end, and waits until it has.
    fn end(&self) -> Result<(), Failure> {
        pidfd_send_signal(&self.process, Signal::TERM)
            .map_err(|error| fail(&format!("stop process {}", self.pid.as_raw_pid()), error))?;
        let mut ended = [PollFd::new(&self.process, PollFlags::IN)];
        let timeout = Timespec::try_from(limits::DAEMON_STOP).ok();
        match poll(&mut ended, timeout.as_ref()) {
            Ok(1..) => Ok(()),
            Ok(0) | Err(_) => Err(Failure::new(
                format!("the daemon (process {}) does not end", self.pid.as_raw_pid()),
                "it finishes what it writes first; look again with `countersign status`",
            )),
        }
    }
}

/// How the daemon was started.
struct StartCommand {
    program: PathBuf,
    words: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
}

impl StartCommand {
    fn read(pid: Pid) -> Result<Self, Failure> {
        let path = |name: &str| format!("/proc/{}/{name}", pid.as_raw_pid());
        let read = |name: &str| {
            std::fs::read(path(name)).map_err(|error| {
                let help = "stop it with `countersign stop`, and start it as you did before";
                Failure::new(format!("cannot read how the daemon was started: {error}"), help)
            })
        };
        let words = split_nul(&read("cmdline")?);
        let pairs = split_nul(&read("environ")?).into_iter().filter_map(split_variable).collect();
        let folder = std::fs::read_link(path("cwd")).unwrap_or_else(|_| PathBuf::from("/"));
        // Not the program of that process: after an update it no longer exists.
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(error.to_string(), "start it with `countersign serve`")
        })?;
        Ok(Self { program, words, environment: pairs, folder })
    }

    fn run(self) -> Result<u32, Failure> {
        let mut command = Command::new(self.program);
        command.args(self.words.into_iter().skip(1)).env_clear().envs(self.environment);
        command.current_dir(self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failure = |why: &str| {
            Failure::new(
                format!("the daemon was stopped and does not start again: {why}"),
                "run `countersign serve` to see why",
            )
        };
        let mut child = command.spawn().map_err(|error| failure(&error.to_string()))?;
        wait_for_greeting(child.stdout.take(), limits::DAEMON_START);
        match child.try_wait() {
            Ok(None) => Ok(child.id()),
            Ok(Some(status)) => Err(failure(&format!("it ended with {status}"))),
            Err(error) => Err(failure(&error.to_string())),
        }
    }
}

fn split_nul(bytes: &[u8]) -> Vec<OsString> {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect()
}

fn split_variable(pair: OsString) -> Option<(OsString, OsString)> {
    let bytes = pair.into_vec();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    let (name, value) = bytes.split_at(at);
    let value = value.get(1..)?.to_vec();
    Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value)))
}

fn fail(what: &dyn std::fmt::Display, error: Errno) -> Failure {
    Failure::new(format!("cannot {what}: {error}"), "end the process yourself")
}
