//! The operator's commands: each asks the daemon over the operator's socket, and shows its answer.

mod agents;
mod answer;
mod find;
mod gate;
mod grants;
mod look;
mod review;
mod workflow;

pub(crate) use agents::agent;
pub(crate) use answer::{
    SURFACE, approve, decline, describe_revocation, pause, resume, revoke, shown_digest,
};
pub(crate) use find::find_grant;
pub(crate) use gate::gate;
pub(crate) use grants::{describe_coverage, grants, list_grants};
pub(crate) use look::{card_page, ls, show, status};
pub(crate) use workflow::workflow;

use crate::args::DaemonOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::limits;
use crate::settings::Settings;
use countersign_api::OutOfBounds;
use countersign_client::{AgentClient, ClientError, Connection, OperatorClient};
use std::path::PathBuf;
use std::time::Duration;

impl DaemonOption {
    pub(crate) fn folder(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| settings.data(), Ok)
    }

    pub(crate) fn operator(&self, settings: &Settings) -> Result<OperatorClient, Failure> {
        let socket = self.folder(settings)?.join("operator.sock");
        Ok(OperatorClient::new(Connection::new(&socket, limits::DAEMON_TIMEOUT)))
    }

    /// The agents' plane, for a call that waits this many seconds for an answer.
    pub(crate) fn agent(&self, settings: &Settings, wait: u64) -> Result<AgentClient, Failure> {
        let socket = settings.agent_socket(&self.folder(settings)?);
        let timeout = Duration::from_secs(wait) + limits::DAEMON_TIMEOUT;
        let connection = Connection::new(&socket, timeout).with_token(settings.token()?);
        Ok(AgentClient::new(connection))
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (exit, message) = (Exit::from_client_error(&error), error.to_string());
        Self::Message { exit, message, help: error.help().to_owned() }
    }
}

/// A value of the command line that fits into its field of a request.
pub(crate) fn fit_bounds<V, T: TryFrom<V, Error = OutOfBounds>>(
    name: &str,
    value: V,
) -> Result<T, Failure> {
    let failure =
        |error| Failure::new(format!("the {name} is out of bounds: {error}"), "send less");
    value.try_into().map_err(failure)
}
