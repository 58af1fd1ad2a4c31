//! A PostgreSQL of one's own: in a folder that goes with it, reached over a socket in that
//! folder, so that nothing else on the machine is touched. For tests and benchmarks only.

mod pooler;

pub use pooler::{Pooler, has_pooler};

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Where a test finds a server that somebody else has started for it.
pub const ADDRESS: &str = "COUNTERSIGN_TEST_POSTGRES";

/// Whether the server may forget what it said is written when the machine loses power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syncs {
    /// For stories, which are not about that.
    Never,
    Always,
}

pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    syncs: Syncs,
}

impl Cluster {
    /// Makes a cluster and starts it.
    pub fn start(syncs: Syncs) -> Result<Self, String> {
        let programs = programs()?;
        let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
        let user = user()?;
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).map_err(|error| error.to_string())?;
        }
        let cluster = Self { folder, programs, user, syncs };
        let data = cluster.data();
        cluster.run(
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
        cluster.resume()?;
        Ok(cluster)
    }

    /// Starts the server again after `stop`.
    pub fn resume(&self) -> Result<(), String> {
        let data = self.data();
        let sync = match self.syncs {
            Syncs::Never => "off",
            Syncs::Always => "on",
        };
        let options = format!(
            "-k {} -c listen_addresses='' -c fsync={sync} -c max_connections=200",
            self.folder.path().display()
        );
        self.run(
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

    /// Stops the server at once, as a machine that goes away would.
    pub fn stop(&self) -> Result<(), String> {
        let data = self.data();
        let words = ["-D", "", "-m", "immediate", "stop"].map(OsStr::new);
        self.run("pg_ctl", words.map(|word| if word.is_empty() { data.as_os_str() } else { word }))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder with its socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn address(&self) -> String {
        format!("host={} user=postgres dbname=postgres", self.folder.path().display())
    }

    fn run<'a>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = &'a OsStr>,
    ) -> Result<(), String> {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        // The server keeps what it inherits open, so that a pipe would never end.
        let said = self.folder.path().join(format!("{program}.out"));
        let file = fs::File::create(&said).map_err(|error| error.to_string())?;
        command.stdout(file.try_clone().map_err(|e| e.to_string())?).stderr(file);
        let status = command.status().map_err(|error| format!("`{program}`: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let said = fs::read_to_string(&said).unwrap_or_default();
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        Err(format!("`{program}` ended with {status}: {said}{log}"))
    }
}

impl Cluster {
    /// A process that waits for the end of this one, and then stops the server and removes its
    /// folder. It hears of that because its input ends.
    fn kept_by_another(&self) -> Result<Child, String> {
        let script = "cat >/dev/null; \"$0\" -D \"$1/data\" -m immediate stop; rm -rf \"$1\"";
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(self.programs.join("pg_ctl")).arg(self.folder.path());
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal to the tests, such as Ctrl-C, must not end it first.
        command.process_group(0);
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command.spawn().map_err(|error| format!("`sh`: {error}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The folder goes in any case.
        let _stopped = self.stop();
    }
}

struct Shared {
    address: String,
    _own: Option<(Cluster, Child)>,
}

/// A server for this process's tests: the one that is named, or one that is started now.
#[allow(clippy::disallowed_methods, reason = "a test is told by the environment what is running")]
pub fn shared() -> String {
    static SHARED: OnceLock<Result<Shared, String>> = OnceLock::new();
    let found = SHARED.get_or_init(|| match std::env::var(ADDRESS) {
        Ok(address) => Ok(Shared { address, _own: None }),
        Err(_) => {
            let own = Cluster::start(Syncs::Never)?;
            // What is shared is never dropped: somebody else has to see to its end.
            let keeper = own.kept_by_another()?;
            Ok(Shared { address: own.address(), _own: Some((own, keeper)) })
        }
    });
    match found {
        Ok(shared) => shared.address.clone(),
        Err(why) => format!("no server: {why}"),
    }
}

/// Whether this machine has the server's programs.
pub fn is_installed() -> bool {
    programs().is_ok()
}

/// Debian keeps the server's programs apart from the clients'.
fn programs() -> Result<PathBuf, String> {
    let found = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = found.map(|entry| entry.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").exists());
    folders.sort();
    folders.pop().ok_or_else(|| {
        "PostgreSQL's server is not installed: `apt-get install postgresql`".to_owned()
    })
}

/// The server does not run as root: there it runs as the user that its package made.
fn user() -> Result<Option<(u32, u32)>, String> {
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
