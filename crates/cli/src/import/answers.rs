//! Where an answer goes: to the daemon that runs on the record's folder, or into the record itself.

use super::engine;
use crate::failure::Failure;
use crate::operate::text;
use crate::record::RecordOption;
use crate::settings::Settings;
use countersign_client::Client;
use countersign_core::model::grant::Confirmation;
use countersign_core::model::request::{Answer, Request, Say};
use countersign_core::model::words::Choice;
use countersign_core::steps::settle::Reply;
use countersign_engine::{Engine, Store};
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) enum Answers {
    Daemon(Client),
    Record(Box<Engine<Box<dyn Store>>>),
}

impl Answers {
    /// A record in a folder has one writer. A database has many, and needs no daemon to write.
    pub(super) fn open(record: &RecordOption, settings: &Settings) -> Result<Self, Failure> {
        let client = record.only_folder(settings)?.map(|folder| {
            let socket = folder.join("operator.sock");
            Client::at(&socket, PATIENCE)
        });
        match client {
            Some(client) if client.get("/v1/status").is_ok() => Ok(Self::Daemon(client)),
            Some(_) | None => Ok(Self::Record(Box::new(engine(record, settings)?))),
        }
    }

    /// Answers a question, and says what came of it.
    pub(super) fn give(&self, request: &Request, choice: Choice) -> Result<String, Failure> {
        match self {
            Self::Daemon(client) => told(client, request, choice),
            Self::Record(engine) => written(engine, request, choice),
        }
    }
}

fn told(client: &Client, request: &Request, choice: Choice) -> Result<String, Failure> {
    let mut body = json!({
        "digest": request.digest, "choice": choice, "surface": "command-line",
    });
    if choice != Choice::Decline {
        crate::operate::put(&mut body, "confirm", "yes");
    }
    let said = client.post(&format!("/v1/requests/{}/answer", request.id), &body)?;
    let given = said.pointer("/given/0").unwrap_or(&Value::Null);
    let some = |name: &str| Some(text(given, name)).filter(|found| !found.is_empty());
    Ok(became(choice, some("/scope_granted"), some("/reason")))
}

fn written(
    engine: &Engine<Box<dyn Store>>,
    request: &Request,
    choice: Choice,
) -> Result<String, Failure> {
    let (id, note, confirmation) = (request.id, String::new(), Confirmation::Confirmed);
    let answer = Answer { say: Say::One(choice), note, confirmation };
    match engine.answer_import(id, &answer)?.reply {
        Reply::Accepted { given } => {
            let scope = given.iter().find_map(|given| given.granted).map(|scope| scope.word());
            Ok(became(choice, scope, given.iter().find_map(|given| given.why)))
        }
        Reply::AlreadyAnswered => Err(Failure::new(
            format!("`{id}` was answered meanwhile"),
            "`countersign import waiting` lists what is still open",
        )),
        Reply::Late => Err(Failure::new(
            format!("`{id}` has expired; your answer is recorded and changes nothing"),
            "import it again",
        )),
        Reply::Refused(refusal) => Err(Failure::new(refusal.to_string(), "report this as a bug")),
    }
}

fn became(choice: Choice, scope: Option<&str>, why: Option<&str>) -> String {
    match (choice, scope, why) {
        (Choice::Decline, ..) => "declined".to_owned(),
        (_, Some(scope), None) => format!("confirmed, scope {scope}"),
        (_, Some(scope), Some(why)) => format!("confirmed, scope {scope}: {why}"),
        (_, None, why) => format!("confirmed: {}", why.unwrap_or("it carries nothing")),
    }
}
