//! Speaks to the daemon over its sockets: one request, one answer; or events as they come.
//!
//! Blocking, and nothing but the standard library beneath: a command is over soon, and a hook must
//! not pay for a runtime. Any failure is an error, and no error is a yes.

mod http;

use http::Reading;
use serde_json::Value;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An answer that is longer than this is none.
const LONGEST: usize = 16 << 20;

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("no daemon answers at `{}`: {cause}", place.display())]
    Unreachable { place: PathBuf, cause: io::Error },
    #[error("the daemon did not answer: {0}")]
    Lost(#[from] io::Error),
    #[error("the daemon's answer cannot be read: {0}")]
    Unreadable(String),
    /// The daemon said no, and why.
    #[error("{message}")]
    Refused { status: u16, code: String, message: String, remedy: String },
}

#[derive(Clone, Debug)]
pub struct Client {
    place: PathBuf,
    patience: Duration,
    token: Option<String>,
}

/// One event, with the place in the ledger to go on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub seq: u64,
    pub kind: String,
    pub data: Value,
}

impl Client {
    /// At a socket. Without an answer in this time there is none.
    pub fn at(place: &Path, patience: Duration) -> Self {
        Self { place: place.to_owned(), patience, token: None }
    }

    /// As the agent that this token was given to, whoever the kernel says we are.
    pub fn by(mut self, token: Option<String>) -> Self {
        self.token = token;
        self
    }

    pub fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.ask("GET", path, None)
    }

    /// A list that comes a page at a time, whole: `next` of each page is `after` of the one behind it.
    pub fn list(&self, path: &str, name: &str) -> Result<Value, ClientError> {
        let mut whole = self.get(path)?;
        loop {
            let Some(next) = whole.get("next").and_then(Value::as_str) else { return Ok(whole) };
            let mut page = self.get(&format!("{path}?after={next}"))?;
            let (mut more, next) = match (page.get_mut(name), whole.get(name)) {
                (Some(Value::Array(more)), Some(_)) if !more.is_empty() => {
                    (std::mem::take(more), page.get("next").cloned().unwrap_or(Value::Null))
                }
                _ => return Err(ClientError::Unreadable("a page of a list is missing".to_owned())),
            };
            if let Some(Value::Array(all)) = whole.get_mut(name) {
                all.append(&mut more);
            }
            if let Some(fields) = whole.as_object_mut() {
                fields.insert("next".to_owned(), next);
            }
        }
    }

    pub fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.ask("POST", path, Some(body))
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, ClientError> {
        let stream = self.connect()?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        self.send(&stream, method, path, body)?;
        let mut reading = Reading::begin(stream)?;
        let text = reading.rest(LONGEST)?;
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| ClientError::Unreadable(error.to_string()))?;
        if (200..300).contains(&reading.status) {
            Ok(value)
        } else {
            Err(refused(reading.status, &value))
        }
    }

    /// Events from an entry on, or from now on.
    pub fn events(&self, from: Option<u64>) -> Result<Events, ClientError> {
        self.events_as(None, from)
    }

    /// The same, for a surface of this name, which says whether somebody is there.
    pub fn events_as(
        &self,
        surface: Option<&str>,
        from: Option<u64>,
    ) -> Result<Events, ClientError> {
        let stream = self.connect()?;
        let from = from.map(|from| format!("from={from}"));
        let surface = surface.map(|surface| format!("surface={surface}"));
        let asked: Vec<String> = from.into_iter().chain(surface).collect();
        let path = format!("/v1/events?{}", asked.join("&"));
        self.send(&stream, "GET", &path, None)?;
        let mut reading = Reading::begin(stream)?;
        if reading.status != 200 {
            let text = reading.rest(LONGEST)?;
            let value = serde_json::from_slice(&text).unwrap_or(Value::Null);
            return Err(refused(reading.status, &value));
        }
        Ok(Events { reading, place: None })
    }

    fn connect(&self) -> Result<UnixStream, ClientError> {
        UnixStream::connect(&self.place)
            .map_err(|cause| ClientError::Unreachable { place: self.place.clone(), cause })
    }

    fn send(
        &self,
        mut stream: &UnixStream,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(), ClientError> {
        let body = body.map(Value::to_string);
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nhost: countersign\r\nconnection: close\r\n");
        if let Some(token) = &self.token {
            text.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        if let Some(body) = &body {
            let length = body.len();
            text.push_str(&format!(
                "content-type: application/json\r\ncontent-length: {length}\r\n"
            ));
        }
        text.push_str("\r\n");
        text.push_str(body.as_deref().unwrap_or_default());
        Ok(stream.write_all(text.as_bytes())?)
    }
}

fn refused(status: u16, value: &Value) -> ClientError {
    let text = |name: &str| {
        let found = value.pointer(&format!("/error/{name}")).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    ClientError::Refused {
        status,
        code: text("code"),
        message: text("message"),
        remedy: text("remedy"),
    }
}

/// Ends a stream of events from another thread.
#[derive(Debug)]
pub struct HangUp(UnixStream);

impl HangUp {
    pub fn hang_up(&self) {
        // One that has ended already is what was wanted.
        let _ended = self.0.shutdown(std::net::Shutdown::Both);
    }
}

impl Events {
    pub fn hang_up(&self) -> io::Result<HangUp> {
        self.reading.stream().map(HangUp)
    }

    /// How far the ledger was told; a stream says at its beginning where it begins.
    pub fn place(&self) -> Option<u64> {
        self.place
    }
}

/// Events as they come; ends when the daemon does.
pub struct Events {
    reading: Reading,
    place: Option<u64>,
}

impl Iterator for Events {
    type Item = Result<Event, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        let nothing = || Event { seq: 0, kind: String::new(), data: Value::Null };
        let (mut event, mut place) = (nothing(), None);
        loop {
            let line = match self.reading.line() {
                Ok(Some(line)) => line,
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            };
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "" if line.is_empty() => {
                    self.place = place.or(self.place);
                    // Only a place: there is nothing to tell yet.
                    if place.is_some() && !event.kind.is_empty() {
                        return Some(Ok(event));
                    }
                    (event, place) = (nothing(), None);
                }
                "id" => {
                    place = value.parse().ok();
                    event.seq = place.unwrap_or(0);
                }
                "event" => event.kind = value.to_owned(),
                "data" => match serde_json::from_str(value) {
                    Ok(data) => event.data = data,
                    Err(error) => return Some(Err(ClientError::Unreadable(error.to_string()))),
                },
                // A comment keeps the connection alive.
                _ => {}
            }
        }
    }
}
