//! This process as an application: where the daemon is, and in which session it works.
//!
//! It is the only module here that reads the environment, where `countersign gate` reads it, too.

use crate::Error;
use countersign_client::{AgentClient, Connection};
use countersign_core::model::names::SessionName;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// How long a reply may take beyond the time that the request itself waits.
const REPLY_TIMEOUT: Duration = Duration::from_secs(30);

/// How this process reaches the daemon, and as whom.
#[derive(Clone, Debug)]
pub struct Application {
    socket: PathBuf,
    token: Option<String>,
    pub(crate) session: SessionName,
}

impl Application {
    /// The agents' socket of a daemon, this application's token, and its session. The same application
    /// takes up its own session again.
    pub fn new(socket: &Path, token: Option<String>, session: &str) -> Result<Self, Error> {
        let session = SessionName::parse(session)
            .map_err(|error| Error::denied("malformed", error.to_string()))?;
        Ok(Self { socket: socket.to_owned(), token, session })
    }

    /// By `COUNTERSIGN_SOCKET`, `COUNTERSIGN_DATA`, `COUNTERSIGN_TOKEN` and `COUNTERSIGN_SESSION`, else
    /// the user's data folder, and the name of the program as the session.
    pub fn from_environment() -> Result<Self, Error> {
        let socket = find_variable("COUNTERSIGN_SOCKET").map(PathBuf::from);
        let socket = socket.or_else(|| Some(find_data_folder()?.join("agent.sock")));
        let socket = socket.ok_or_else(|| {
            Error::Unavailable("no data folder is known; set COUNTERSIGN_SOCKET".to_owned())
        })?;
        let session = find_variable("COUNTERSIGN_SESSION").unwrap_or_else(program_name);
        Self::new(&socket, find_variable("COUNTERSIGN_TOKEN"), &session)
    }

    /// Makes this the application of the process.
    pub fn install(self) {
        *current().write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(self));
    }

    /// The application of the process: the installed one, else that of the environment.
    pub(crate) fn current() -> Result<Arc<Self>, Error> {
        if let Some(own) = &*current().read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(Arc::clone(own));
        }
        let found = Arc::new(Self::from_environment()?);
        let mut installed = current().write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(installed.get_or_insert(found)))
    }

    /// A client for requests that the daemon keeps open for this long.
    pub(crate) fn client(&self, wait: Duration) -> AgentClient {
        let connection = Connection::new(&self.socket, wait.saturating_add(REPLY_TIMEOUT));
        AgentClient::new(connection.with_token(self.token.clone()))
    }
}

fn current() -> &'static RwLock<Option<Arc<Application>>> {
    static CURRENT: OnceLock<RwLock<Option<Arc<Application>>>> = OnceLock::new();
    CURRENT.get_or_init(RwLock::default)
}

#[allow(clippy::disallowed_methods, reason = "a library of programs has no settings but these")]
fn find_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn find_data_folder() -> Option<PathBuf> {
    if let Some(named) = find_variable("COUNTERSIGN_DATA") {
        return Some(PathBuf::from(named));
    }
    let data = find_variable("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(PathBuf::from(find_variable("HOME")?).join(".local/share")));
    Some(data?.join("countersign"))
}

#[allow(clippy::disallowed_methods, reason = "the session is called by the program's name")]
fn program_name() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.chars().filter(|c| c.is_ascii_graphic()).take(100).collect();
    if name.is_empty() { "rust".to_owned() } else { name }
}
