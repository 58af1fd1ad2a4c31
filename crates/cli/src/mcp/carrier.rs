//! Runs a server for the daemon of another user.
//!
//! The server runs as our own user, with our environment, and is started when the daemon says that it may
//! be. Its standard streams go over a connection to the daemon. When either side ends, both do.

use super::pump::copy;
use crate::limits;
use countersign_client::{Connection, UpgradedStream};
use countersign_console::{Failure, Page, out};
use countersign_gateway::{CARRY_PATH, CarryRequest, START_LINE, UPGRADE};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use rustix::rand::{GetRandomFlags, getrandom};
use std::io::BufRead;
use std::net::Shutdown;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub(super) struct ServerCarrier {
    connection: Connection,
    command: Vec<String>,
    /// The secret that our connections have in common.
    pub(super) ticket: String,
}

impl ServerCarrier {
    pub(super) fn new(connection: &Connection, command: &[String]) -> Result<Self, Failure> {
        let mut bytes = [0_u8; 16];
        let filled = getrandom(&mut bytes, GetRandomFlags::empty());
        if filled != Ok(bytes.len()) {
            return Err(Failure::new("the kernel has no randomness", "try again"));
        }
        let ticket = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { connection: connection.clone(), command: command.to_vec(), ticket })
    }

    /// Starts the server each time that the daemon wants it, until the daemon needs it no more.
    pub(super) fn run(&self) {
        let request = CarryRequest { carrier: self.ticket.clone() };
        while let Ok(mut stream) = self.connection.upgrade(CARRY_PATH, UPGRADE, &request) {
            let mut line = String::new();
            let read = stream.reader.read_line(&mut line);
            if read.is_err() || line != START_LINE {
                return;
            }
            match self.start() {
                Ok(child) => carry(child, stream),
                // The daemon sees that the connection ends.
                Err(error) => {
                    let program = self.command.first().map_or("", String::as_str);
                    let line = format!("countersign: `{program}` cannot be started: {error}");
                    out::eprint(&Page::from_line(&line));
                }
            }
        }
    }

    /// The server writes its own errors to our stderr, where the client expects them.
    fn start(&self) -> std::io::Result<Child> {
        let (program, arguments) =
            self.command.split_first().map_or(("", [].as_slice()), |(p, rest)| (p.as_str(), rest));
        let mut command = Command::new(program);
        let own = std::env::vars_os().map(|(name, _)| name);
        for name in own.filter(|name| name.to_string_lossy().starts_with("COUNTERSIGN_")) {
            command.env_remove(name);
        }
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.process_group(0).spawn()
    }
}

fn carry(mut child: Child, stream: UpgradedStream) {
    let UpgradedStream { mut reader, mut writer } = stream;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let to_server = std::thread::spawn(move || {
        // It ends with the connection, and the server then finds its input closed.
        let _ended = stdin.map(|mut stdin| copy(&mut reader, &mut stdin));
        end_process(&mut child);
    });
    let _ended = stdout.map(|mut stdout| copy(&mut stdout, &mut writer));
    let _gone = writer.shutdown(Shutdown::Both);
    let _ended = to_server.join();
}

/// Gives the server some time to end by itself, and then ends it and what it has started.
#[allow(clippy::disallowed_methods, reason = "how long a child process may take decides no call")]
fn end_process(child: &mut Child) {
    let until = Instant::now() + limits::SERVER_EXIT_GRACE;
    if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
        // Not reaped yet, so that its number, which is that of its group, cannot belong to another one.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(group), options), Ok(None)) && Instant::now() < until {
            std::thread::park_timeout(limits::SERVER_EXIT_POLL);
        }
        let _gone = kill_process_group(group, Signal::KILL);
    }
    let _reaped = child.wait();
}
