//! How a command reaches the daemon, and prints what it says.

use crate::daemon_start::reach_daemon;
use crate::limits;
use crate::settings::Settings;
use clap::Args;
use countersign_client::{AgentClient, Connection, OperatorClient};
use countersign_console::{Exit, Failure, Page, out};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// How to reach the daemon.
#[derive(Args)]
pub(crate) struct DaemonOption {
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl DaemonOption {
    pub(crate) fn folder(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| settings.data(), Ok)
    }

    pub(crate) fn operator(&self, settings: &Settings) -> Result<OperatorClient, Failure> {
        let socket = self.folder(settings)?.join("operator.sock");
        Ok(OperatorClient::new(Connection::new(&socket, limits::DAEMON_TIMEOUT)))
    }

    /// The agents' plane, for a call that waits this many seconds for an answer. Our own user's daemon is
    /// started, as a hook would; one in a folder that the command line names is somebody's choice.
    pub(crate) fn agent(&self, settings: &Settings, wait: u64) -> Result<AgentClient, Failure> {
        let timeout = Duration::from_secs(wait) + limits::DAEMON_TIMEOUT;
        if self.data.is_none() {
            return Ok(AgentClient::new(reach_daemon(None, timeout, settings)?));
        }
        let socket = settings.agent_socket(&self.folder(settings)?);
        let connection = Connection::new(&socket, timeout).with_token(settings.token()?);
        Ok(AgentClient::new(connection))
    }

    /// Prints a result: with `--json` the value, otherwise the page.
    pub(crate) fn print(
        &self,
        value: &impl Serialize,
        page: impl FnOnce() -> Page,
    ) -> Result<Exit, Failure> {
        if self.json {
            out::show_json(value)?;
        } else {
            out::show(&page())?;
        }
        Ok(Exit::Allowed)
    }
}
