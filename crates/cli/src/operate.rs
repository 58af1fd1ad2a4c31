//! The operator's commands: each asks the daemon over the operator's socket, and shows what it says.

mod answer;
mod gate;
mod look;

pub(crate) use answer::{approve, decline, pause, resume, revoke};
pub(crate) use gate::gate;
pub(crate) use look::{drawn, grants, ls, show, status};

use crate::args::DaemonOption;
use crate::failure::Failure;
use crate::settings::Settings;
use countersign_client::{Client, ClientError};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long a command waits for the daemon.
const PATIENCE: Duration = Duration::from_secs(10);

impl DaemonOption {
    fn folder(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        self.data.clone().map_or_else(|| settings.data(), Ok)
    }

    fn operator(&self, settings: &Settings) -> Result<Client, Failure> {
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

/// The end of an id, by which it can be named.
fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

/// The one of these whose id is meant.
fn meant<'v>(all: &'v [Value], field: &str, given: &str, what: &str) -> Result<&'v Value, Failure> {
    let id =
        |value: &Value| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let fits = |value: &&Value| {
        let id = id(value);
        id == given || (given.len() >= 4 && (id.ends_with(given) || id.starts_with(given)))
    };
    let found: Vec<&Value> = all.iter().filter(fits).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Failure::usage(
            format!("no {what} that waits has the id `{given}`"),
            "`countersign ls` lists what does, each with the end of its id",
        )),
        several => Err(Failure::usage(
            format!("{} of them have ids that fit `{given}`", several.len()),
            "give more of the id",
        )),
    }
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
