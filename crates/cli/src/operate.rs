//! The operator's commands: each asks the daemon over the operator's socket, and shows what it says.

mod agents;
mod answer;
mod find;
mod gate;
mod grants;
mod look;
mod review;
mod workflow;

pub(crate) use agents::agent;
pub(crate) use answer::{approve, decline, pause, resume, revoke};
pub(crate) use find::{encoded, meant_id};
pub(crate) use gate::{decided_exit, gate};
pub(crate) use grants::{covers, grants, pages};
pub(crate) use look::{drawn, ls, show, status};
pub(crate) use workflow::workflow;

use crate::args::DaemonOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short;
use crate::settings::Settings;
use countersign_client::{Client, ClientError};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long a command waits for the daemon.
const PATIENCE: Duration = Duration::from_secs(10);

impl DaemonOption {
    pub(crate) fn folder(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| settings.data(), Ok)
    }

    pub(crate) fn operator(&self, settings: &Settings) -> Result<Client, Failure> {
        let socket = self.folder(settings)?.join("operator.sock");
        Ok(Client::at(&socket, PATIENCE))
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let message = error.to_string();
        match error {
            ClientError::Unreachable { .. } => Self::new(
                message,
                "start it with `countersign serve`, or name its folder with `--data`",
            ),
            ClientError::Lost(_) | ClientError::Unreadable(_) => {
                Self::new(message, "look at what `countersign serve` says")
            }
            ClientError::Refused { status: 401, remedy, .. } => {
                Self::Said { exit: Exit::NotAuthenticated, message, help: remedy }
            }
            ClientError::Refused { remedy, .. } => Self::new(message, remedy),
        }
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Adds a field to a body.
pub(crate) fn put(body: &mut Value, name: &str, value: impl serde::Serialize) {
    if let (Value::Object(fields), Ok(value)) = (body, serde_json::to_value(value)) {
        fields.insert(name.to_owned(), value);
    }
}

fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}
