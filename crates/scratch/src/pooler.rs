//! A temporary PgBouncer in front of a server, in transaction pooling mode.

use crate::find_postgres_user;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PROGRAM: &str = "/usr/sbin/pgbouncer";
const PORT: u16 = 6432;
/// Attempts to connect to the socket, one every 10 ms.
const MAX_CONNECT_ATTEMPTS: usize = 1000;

pub struct Pooler {
    folder: TempDir,
    process: Child,
}

impl Pooler {
    /// Starts a pooler for the server at this address, with so few connections that clients share them.
    pub fn start(address: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let place = folder.path().display();
        let settings = format!(
            "[databases]\npostgres = {address}\n\
             [pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\nunix_socket_dir = {place}\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n\
             logfile = {place}/log\npidfile = {place}/pid\n"
        );
        let file = folder.path().join("pgbouncer.ini");
        fs::write(&file, settings).map_err(|error| error.to_string())?;
        let mut command = Command::new(PROGRAM);
        command.arg("-q").arg(&file).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null());
        if let Some((uid, gid)) = find_postgres_user()? {
            chown(folder.path(), Some(uid), Some(gid)).map_err(|error| error.to_string())?;
            command.uid(uid).gid(gid);
        }
        let process = command.spawn().map_err(|error| {
            format!("`{PROGRAM}`: {error}; install it: `apt-get install pgbouncer`")
        })?;
        let pooler = Self { folder, process };
        pooler.wait_until_ready()?;
        Ok(pooler)
    }

    /// Waits until the pooler accepts connections.
    fn wait_until_ready(&self) -> Result<(), String> {
        let socket = self.folder.path().join(format!(".s.PGSQL.{PORT}"));
        for _ in 0..MAX_CONNECT_ATTEMPTS {
            if UnixStream::connect(&socket).is_ok() {
                return Ok(());
            }
            std::thread::park_timeout(Duration::from_millis(10));
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        Err(format!("the pooler does not answer: {log}"))
    }

    pub fn address(&self) -> String {
        format!("host={} port={PORT} user=postgres dbname=postgres", self.folder.path().display())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // The pooler has no data to save, so errors do not matter.
        let _killed = self.process.kill();
        let _ended = self.process.wait();
    }
}

/// Whether PgBouncer is installed.
pub fn is_pooler_installed() -> bool {
    fs::metadata(PROGRAM).is_ok()
}
