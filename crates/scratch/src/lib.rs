//! Temporary PostgreSQL servers, for tests and benchmarks only.
//!
//! A server keeps its data and socket in a temporary folder, so it touches nothing else on the
//! machine.

mod pooler;

pub use pooler::{Pooler, is_pooler_installed};

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The environment variable with the address of a server that is already running.
pub const ADDRESS_VARIABLE: &str = "COUNTERSIGN_TEST_POSTGRES";

/// Whether the server flushes each commit to disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// A power loss can lose commits. For tests that are not about durability.
    Off,
    On,
}

pub struct PostgresServer {
    folder: TempDir,
    program_folder: PathBuf,
    /// The user and group id that the server runs as, if not our own.
    user: Option<(u32, u32)>,
    fsync: Fsync,
}

/// The processes of a server that hangs.
pub struct Suspended {
    pids: Vec<String>,
}

impl Drop for Suspended {
    fn drop(&mut self) {
        // A process that has ended meanwhile cannot go on.
        let _sent = send_signal("-CONT", &self.pids);
    }
}

fn send_signal(signal: &str, pids: &[String]) -> Result<(), String> {
    let sent = Command::new("kill").arg(signal).args(pids).status();
    let sent = sent.map_err(|error| format!("cannot run kill: {error}"))?;
    if sent.success() { Ok(()) } else { Err(format!("kill {signal} ended with {sent}")) }
}

fn child_processes(parent: &str) -> Result<Vec<String>, String> {
    let tasks = format!("/proc/{parent}/task/{parent}/children");
    let children = fs::read_to_string(&tasks).map_err(|error| format!("{tasks}: {error}"))?;
    Ok(children.split_whitespace().map(str::to_owned).collect())
}

impl PostgresServer {
    /// Creates a server and starts it.
    pub fn start(fsync: Fsync) -> Result<Self, String> {
        let program_folder = find_program_folder()?;
        let folder = tempfile::tempdir()
            .map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let user = find_postgres_user()?;
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).map_err(|error| error.to_string())?;
        }
        let server = Self { folder, program_folder, user, fsync };
        let data = server.data_folder();
        server.run_program(
            "initdb",
            [
                OsStr::new("-D"),
                data.as_os_str(),
                OsStr::new("--auth=trust"),
                OsStr::new("--username=postgres"),
                OsStr::new("--encoding=UTF8"),
                OsStr::new("--locale=C"),
                OsStr::new("--no-sync"),
            ],
        )?;
        server.launch()?;
        Ok(server)
    }

    /// Starts the server process; also after `stop`.
    pub fn launch(&self) -> Result<(), String> {
        let data = self.data_folder();
        let sync = match self.fsync {
            Fsync::Off => "off",
            Fsync::On => "on",
        };
        let options = format!(
            "-k {} -c listen_addresses='' -c fsync={sync} -c max_connections=200",
            self.folder.path().display()
        );
        self.run_program(
            "pg_ctl",
            [
                OsStr::new("-D"),
                data.as_os_str(),
                OsStr::new("-l"),
                self.folder.path().join("log").as_os_str(),
                OsStr::new("-w"),
                OsStr::new("-o"),
                OsStr::new(&options),
                OsStr::new("start"),
            ],
        )
    }

    /// Stops the server at once, without a clean shutdown.
    pub fn stop(&self) -> Result<(), String> {
        let data = self.data_folder();
        let words = ["-D", "", "-m", "immediate", "stop"].map(OsStr::new);
        self.run_program(
            "pg_ctl",
            words.map(|word| if word.is_empty() { data.as_os_str() } else { word }),
        )
    }

    /// Makes the server hang until the result is dropped: its connections stay open and get no
    /// answer.
    pub fn suspend(&self) -> Result<Suspended, String> {
        let file = fs::read_to_string(self.data_folder().join("postmaster.pid"));
        let file = file.map_err(|error| format!("the server does not run: {error}"))?;
        let first = file.lines().next().unwrap_or_default().trim().to_owned();
        let mut pids = child_processes(&first)?;
        pids.insert(0, first);
        send_signal("-STOP", &pids)?;
        Ok(Suspended { pids })
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder with the socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn address(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.folder.path().display())
    }

    fn run_program<'a>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = &'a OsStr>,
    ) -> Result<(), String> {
        let mut command = Command::new(self.program_folder.join(program));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        // The server keeps inherited handles open, so a pipe would never end.
        let output_file = self.folder.path().join(format!("{program}.out"));
        let file = fs::File::create(&output_file).map_err(|error| error.to_string())?;
        command.stdout(file.try_clone().map_err(|e| e.to_string())?).stderr(file);
        let status = command.status().map_err(|error| format!("`{program}`: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let output = fs::read_to_string(&output_file).unwrap_or_default();
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        Err(format!("`{program}` ended with {status}: {output}{log}"))
    }
}

impl PostgresServer {
    /// Spawns a process that waits until this one ends, then stops the server and removes its
    /// folder. It notices the end because its standard input closes.
    fn spawn_cleanup_process(&self) -> Result<Child, String> {
        let script = "cat >/dev/null; \"$0\" -D \"$1/data\" -m immediate stop; rm -rf \"$1\"";
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(script)
            .arg(self.program_folder.join("pg_ctl"))
            .arg(self.folder.path());
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal to the tests, such as Ctrl-C, must not end the cleanup process.
        command.process_group(0);
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command.spawn().map_err(|error| format!("`sh`: {error}"))
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // An error does not matter: the folder is removed in any case.
        let _stopped = self.stop();
    }
}

struct SharedServer {
    address: String,
    _own: Option<(PostgresServer, Child)>,
}

/// The address of a server for this process's tests: the one named by [`ADDRESS_VARIABLE`], or one
/// that the first call starts.
#[allow(
    clippy::disallowed_methods,
    reason = "the test runner passes the server's address in the environment"
)]
pub fn shared_server_address() -> String {
    static SHARED: OnceLock<Result<SharedServer, String>> = OnceLock::new();
    let found = SHARED.get_or_init(|| match std::env::var(ADDRESS_VARIABLE) {
        Ok(address) => Ok(SharedServer { address, _own: None }),
        Err(_) => {
            let own = PostgresServer::start(Fsync::Off)?;
            // A static is never dropped, so another process has to stop the server.
            let cleanup = own.spawn_cleanup_process()?;
            Ok(SharedServer { address: own.address(), _own: Some((own, cleanup)) })
        }
    });
    match found {
        Ok(shared) => shared.address.clone(),
        Err(why) => format!("no server: {why}"),
    }
}

/// Whether the server's programs are installed.
pub fn is_postgres_installed() -> bool {
    find_program_folder().is_ok()
}

/// Debian installs the server's programs outside of `PATH`.
fn find_program_folder() -> Result<PathBuf, String> {
    let found = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = found.map(|entry| entry.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").exists());
    folders.sort();
    folders.pop().ok_or_else(|| {
        "PostgreSQL's server is not installed: `apt-get install postgresql`".to_owned()
    })
}

/// PostgreSQL refuses to run as root, so root starts it as the user `postgres`.
fn find_postgres_user() -> Result<Option<(u32, u32)>, String> {
    let own = fs::metadata("/proc/self").map_err(|error| error.to_string())?;
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
    let line = users.lines().find(|line| line.starts_with("postgres:"));
    let mut numbers = line.into_iter().flat_map(|line| line.split(':').skip(2).take(2));
    let mut number = || numbers.next().and_then(|text| text.parse().ok());
    match (number(), number()) {
        (Some(uid), Some(gid)) => Ok(Some((uid, gid))),
        _ => Err("there is no user `postgres`: `apt-get install postgresql`".to_owned()),
    }
}
