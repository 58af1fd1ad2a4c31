//! The operator's commands: each asks the daemon over the operator's socket, and shows what it says.

mod agents;
mod answer;
mod gate;
mod look;

pub(crate) use agents::agent;
pub(crate) use answer::{approve, decline, pause, resume, revoke};
pub(crate) use gate::gate;
pub(crate) use look::{drawn, grants, ls, show, status};

use crate::args::DaemonOption;
use crate::failure::Failure;
use crate::ids::{is_part, only, short};
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
            ClientError::Refused { remedy, .. } => Self::new(message, remedy),
        }
    }
}

/// The one of these whose id is meant.
fn meant<'v>(all: &'v [Value], field: &str, given: &str, what: &str) -> Result<&'v Value, Failure> {
    let help = "`countersign ls` lists what waits, each with the end of its id";
    let ids = all.iter().map(|value| text(value, field).to_owned());
    let fits: Vec<String> = ids.filter(|id| is_part(id, given)).collect();
    let id = only(&fits, given, what, help)?;
    let found = all.iter().find(|value| text(value, field) == id);
    found.ok_or_else(|| Failure::usage(format!("no {what} has the id `{given}`"), help))
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Adds a field to a body.
fn put(body: &mut Value, name: &str, value: impl serde::Serialize) {
    if let (Value::Object(fields), Ok(value)) = (body, serde_json::to_value(value)) {
        fields.insert(name.to_owned(), value);
    }
}

fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}
