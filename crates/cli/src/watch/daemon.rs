//! What was typed, brought to the daemon. A failure is told, and is never an answer.

use super::{feed, lists};
use crate::failure::Failure;
use crate::ids::short;
use countersign_client::{Client, ClientError};
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::{Choice, Presence};
use countersign_terminal::{Closing, Command, News, Operator, Outcome, Then, Told, What};
use serde_json::{Map, Value, json};

/// The name under which this surface says that it has shown something, and answers.
pub(crate) const SURFACE: &str = "terminal";

pub(crate) struct AtDaemon {
    client: Client,
    reports: Reports,
}

/// Whether the daemon hears that somebody sits here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reports {
    /// Under a name that no other terminal has.
    Presence(String),
    Nothing,
}

impl Reports {
    pub(crate) fn presence() -> Self {
        Self::Presence(format!("{SURFACE}-{}", std::process::id()))
    }

    pub(crate) fn surface(&self) -> Option<&str> {
        match self {
            Self::Presence(surface) => Some(surface),
            Self::Nothing => None,
        }
    }
}

impl AtDaemon {
    pub(crate) fn new(client: Client, reports: Reports) -> Self {
        Self { client, reports }
    }

    fn request(&self, id: &str) -> Result<Value, ClientError> {
        self.client.get(&format!("/v1/requests/{id}"))
    }

    fn steer(&self, path: &str, agent: &str, what: &str) -> Result<Vec<String>, Failure> {
        self.client.post(path, &json!({"agent": agent}))?;
        Ok(vec![format!("{agent} {what}")])
    }

    fn is_open(&self, id: &str) -> bool {
        self.request(id).is_ok_and(|found| found.get("state").is_some_and(|state| state == "open"))
    }
}

impl Operator for AtDaemon {
    fn answer(&mut self, told: &Told) -> Outcome {
        match self.client.post(&format!("/v1/requests/{}/answer", told.request), &body(told)) {
            Ok(said) => Outcome::Taken(given(&told.request, &said)),
            Err(error @ ClientError::Refused { .. }) => {
                let id = short(&told.request);
                match self.is_open(&told.request) {
                    true => Outcome::Refused(error.to_string()),
                    false => Outcome::Over(format!("{id}: {error}")),
                }
            }
            Err(error) => Outcome::Refused(format!("nothing is known to be answered: {error}")),
        }
    }

    fn command(&mut self, command: &Command) -> Vec<String> {
        let done = match command {
            Command::Grants => lists::grants(&self.client),
            Command::Allowlist(session) => lists::allowlist(&self.client, session.as_deref()),
            Command::Revoke(named) => lists::revoke(&self.client, named),
            Command::Pause(agent) => {
                self.steer("/v1/pause", agent, "is paused: its calls are denied")
            }
            Command::Resume(agent) => self.steer("/v1/resume", agent, "goes on"),
            // The desk knows these by itself.
            Command::Show(_) | Command::Waiting | Command::Help | Command::Quit => Ok(Vec::new()),
        };
        done.unwrap_or_else(|failure| vec![failure.line()])
    }

    fn presence(&mut self, presence: Presence) {
        let Some(surface) = self.reports.surface() else { return };
        let body = json!({"surface": surface, "presence": presence});
        // It helps nobody to hear that this could not be said; it is said again once the daemon
        // is reached, and without it presence is unknown.
        let _unsaid = self.client.post("/v1/presence", &body);
    }

    fn delivered(&mut self, what: &What, evidence: Evidence) {
        let (name, id) = match what {
            What::Request(id) => ("request", id),
            What::Notice(id) => ("notice", id),
        };
        let body = json!({name: id, "surface": SURFACE, "evidence": evidence});
        // A delivery that is not recorded proves as little as one that is.
        let _unsaid = self.client.post("/v1/deliveries", &body);
    }

    fn fetch(&mut self, request: &str) -> Option<News> {
        let found = self.request(request).ok()?;
        if found.get("state").is_some_and(|state| state == "open") {
            return Some(feed::asked(found.get("card")?));
        }
        let ending = found.pointer("/state/closed").and_then(Value::as_str);
        let ending = ending.and_then(countersign_core::model::words::Ending::from_word);
        let (surface, at) = (None, "an unknown time".to_owned());
        Some(News::Closed(Closing { request: request.to_owned(), ending, surface, at }))
    }
}

fn body(told: &Told) -> Value {
    let mut body = Map::new();
    body.insert("digest".into(), json!(told.digest));
    body.insert("note".into(), json!(told.note));
    body.insert("surface".into(), json!(SURFACE));
    body.insert("stop".into(), json!(told.then == Then::Stop));
    if let Some(confirm) = &told.confirm {
        body.insert("confirm".into(), json!(confirm));
    }
    match told.choices.as_slice() {
        [(_, choice)] => body.insert("choice".into(), json!(choice)),
        several => {
            let items: Map<String, Value> =
                several.iter().map(|(action, choice)| (action.clone(), json!(choice))).collect();
            body.insert("items".into(), Value::Object(items))
        }
    };
    Value::Object(body)
}

/// What the answer gave, one line for each thing.
fn given(request: &str, said: &Value) -> Vec<String> {
    let id = short(request);
    let all = said.get("given").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |one: &Value, name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
    all.iter()
        .map(|one| {
            let action = text(one, "action").unwrap_or_else(|| "it".to_owned());
            let why = text(one, "reason").map(|why| format!(", because {why}")).unwrap_or_default();
            match text(one, "scope_granted") {
                Some(scope) => format!("{id}: you allowed {action}, {scope}{why}"),
                None if text(one, "scope_requested").as_deref() == Some(Choice::Decline.word()) => {
                    format!("{id}: you declined {action}")
                }
                None => format!("{id}: you answered {action}{why}"),
            }
        })
        .collect()
}
