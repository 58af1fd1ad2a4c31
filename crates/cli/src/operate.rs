//! Commands that call the daemon and print its response: most over the operator's socket, those
//! that act for an agent over the agents' socket.

mod agents;
mod answer;
mod ask;
mod consent;
mod find;
mod gate;
mod gesture;
mod grants;
mod notices;
mod overview;
mod own_runs;
mod project;
mod proposals;
mod review;
mod say;
mod session;
mod suggest;
mod workflow;

pub(crate) use agents::agent;
pub(crate) use answer::{
    SURFACE, approve, decline, describe_answer, describe_revocation, pause, resume, revoke,
    shown_digest,
};
pub(crate) use ask::ask;
pub(crate) use consent::consent;
pub(crate) use find::find_grant;
pub(crate) use gate::gate;
pub(crate) use gesture::gesture;
pub(crate) use grants::{describe_coverage, grants, is_program, list_grants};
pub(crate) use notices::notices;
pub(crate) use overview::{card_page, ls, report_shown, show, status};
pub(crate) use project::{choose_project, find_default_project, find_program_project};
pub(crate) use proposals::proposals;
pub(crate) use say::{say, say_words};
pub(crate) use session::session;
pub(crate) use workflow::workflow;

use crate::args::DaemonOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::limits;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use countersign_api::OutOfBounds;
use countersign_client::{AgentClient, ClientError, Connection, OperatorClient};
use serde::Serialize;
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

    /// Prints a result: with `--json` the value, otherwise the page.
    fn print(&self, value: &impl Serialize, page: impl FnOnce() -> Page) -> Result<Exit, Failure> {
        if self.json {
            out::show_json(value)?;
        } else {
            out::show(&page())?;
        }
        Ok(Exit::Allowed)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (exit, message) = (Exit::from_client_error(&error), error.to_string());
        Self::Message { exit, message, help: error.help().to_owned() }
    }
}

/// Adds one line for each field that has a value.
fn add_fields<const N: usize>(page: &mut Page, fields: [(&str, String); N]) {
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        page.text("  ").styled(BOLD, &format!("{name:<10}")).text(&value).end();
    }
}

/// Converts a value of the command line to a bounded field of a request.
pub(crate) fn fit_bounds<V, T: TryFrom<V, Error = OutOfBounds>>(
    name: &str,
    value: V,
) -> Result<T, Failure> {
    let failure =
        |error| Failure::new(format!("the {name} is out of bounds: {error}"), "give a shorter one");
    value.try_into().map_err(failure)
}
