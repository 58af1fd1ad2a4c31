//! How a hook reaches the daemon, and as whom.
//!
//! If the daemon is our own user's (L0), the hook is the program's adapter: it has a token of its own
//! in the daemon's folder, which no tool call of the agent can touch. Otherwise (L1) it is an agent,
//! and what it reports can only make decisions stricter.
//!
//! See docs/decisions/0087-who-speaks-through-a-hook.md.

use crate::daemon_start::{DaemonEnvironment, start_daemon};
use crate::limits;
use crate::settings::Settings;
use countersign_api::AddAgentRequest;
use countersign_client::{AgentClient, ClientError, Connection, OperatorClient};
use countersign_console::Failure;
use countersign_core::model::names::Agent;
use countersign_harness::Program;
use countersign_server::AgentAccess;
use countersign_setup::program_record;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookRole {
    Adapter,
    Agent,
}

/// The daemon, as one hook reaches it.
pub(super) struct HookDaemon {
    pub(super) role: HookRole,
    program: Program,
    folder: PathBuf,
    socket: PathBuf,
    agent_token: Option<String>,
    /// The environment of a daemon that has to be started.
    environment: Vec<(&'static str, OsString)>,
}

impl HookDaemon {
    pub(super) fn new(program: Program, settings: &Settings) -> Result<Self, Failure> {
        let folder = settings.data()?;
        let role = match settings.sockets(&folder)?.access {
            AgentAccess::OwnUser => HookRole::Adapter,
            AgentAccess::Group(_) => HookRole::Agent,
        };
        let (socket, agent_token) = (settings.agent_socket(&folder), settings.token()?);
        if role == HookRole::Adapter {
            check_owner(&folder)?;
            check_owner(&socket)?;
        }
        let environment = settings.daemon_environment();
        Ok(Self { role, program, folder, socket, agent_token, environment })
    }

    /// Sends a request. If the daemon is away and our own, it is started first; if our token is
    /// missing or no longer valid, a new one is issued first.
    pub(super) fn send<T>(
        &self,
        request: impl Fn(&AgentClient) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        self.send_within(limits::DAEMON_TIMEOUT, request)
    }

    /// The same for a request whose response takes this long.
    pub(super) fn send_within<T>(
        &self,
        timeout: Duration,
        request: impl Fn(&AgentClient) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        let attempt = |token| request(&self.connect(timeout, token));
        let token = match self.role {
            HookRole::Agent => self.agent_token.clone(),
            HookRole::Adapter => match self.read_token() {
                Some(token) => Some(token),
                None => {
                    self.ensure_running()?;
                    Some(self.issue_token()?)
                }
            },
        };
        match attempt(token.clone()) {
            Err(ClientError::Unreachable { .. }) if self.role == HookRole::Adapter => {
                self.start()?;
                Ok(attempt(token)?)
            }
            Err(ClientError::Refused { status: 401, .. }) if self.role == HookRole::Adapter => {
                Ok(attempt(Some(self.issue_token()?))?)
            }
            result => Ok(result?),
        }
    }

    /// Starts the daemon if it is our own and away.
    pub(super) fn ensure_running(&self) -> Result<(), Failure> {
        let is_away = std::os::unix::net::UnixStream::connect(&self.socket).is_err();
        if is_away && self.role == HookRole::Adapter { self.start() } else { Ok(()) }
    }

    fn start(&self) -> Result<(), Failure> {
        start_daemon(
            &self.folder,
            &self.socket,
            limits::HOOK_DAEMON_START,
            DaemonEnvironment::Only(&self.environment),
        )
    }

    fn connect(&self, timeout: Duration, token: Option<String>) -> AgentClient {
        AgentClient::new(self.expect_user(Connection::new(&self.socket, timeout)).with_token(token))
    }

    /// Our own user's daemon decides where agents are our own user; otherwise that of the user to whom
    /// the socket belongs.
    fn expect_user(&self, connection: Connection) -> Connection {
        let owner = match self.role {
            HookRole::Adapter => Some(rustix::process::geteuid().as_raw()),
            HookRole::Agent => fs::metadata(&self.socket).ok().map(|found| found.uid()),
        };
        match owner {
            Some(user) => connection.to_user(user),
            None => connection,
        }
    }

    fn token_file(&self) -> PathBuf {
        self.folder.join("hooks").join(format!("{}.token", self.program.word()))
    }

    /// Where `init` found the program.
    pub(super) fn read_program_file(&self) -> Option<PathBuf> {
        let text = fs::read_to_string(program_record(&self.folder, self.program)).ok()?;
        Some(PathBuf::from(text.trim_end_matches('\n'))).filter(|file| file.is_absolute())
    }

    fn read_token(&self) -> Option<String> {
        let text = fs::read_to_string(self.token_file()).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    /// Issues the token of this program's adapter, as the operator that our user is.
    fn issue_token(&self) -> Result<String, Failure> {
        let socket = self.folder.join("operator.sock");
        let connection = Connection::new(&socket, limits::DAEMON_TIMEOUT);
        let operator = OperatorClient::new(self.expect_user(connection));
        let agent = Agent::parse(self.program.word())
            .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
        let request = AddAgentRequest { agent: agent.clone(), adapter: true, application: None };
        let issued = match operator.add_agent(&request) {
            // Its file was lost. Two hooks may be here at once: the later token is the valid one.
            Err(ClientError::Refused { status: 409, .. }) => {
                operator.revoke_agent(&agent)?;
                operator.add_agent(&request)?
            }
            result => result?,
        };
        let file = self.token_file();
        write_secret(&file, &issued.token)
            .map_err(|error| Failure::file("write", &file, &error, "check the disk"))?;
        Ok(issued.token)
    }
}

/// Only our own user's daemon may decide where agents are our own user. What is not there yet, we create.
fn check_owner(path: &Path) -> Result<(), Failure> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let message = format!("`{}` belongs to another user (uid {})", path.display(), found.uid());
    Err(Failure::new(message, "run `countersign init` again as your own user"))
}

/// Replaces a file that only its owner can read.
fn write_secret(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let new = file.with_extension(format!("new-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut written = options.open(&new)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    fs::rename(&new, file)
}
