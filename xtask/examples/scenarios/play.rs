//! A scenario while it is played: who acts, in which session, and what came back so far.
//!
//! Every scenario has an agent of its own, so that scenarios on one daemon do not meet.

use super::call::CallBuilder;
use super::daemon::Daemon;
use super::{PATIENCE, TrialResult};
use countersign_client::{ClientError, Connection};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use xtask::bench::runs::Context;
use xtask::failure::Failure;

pub struct Play<'d> {
    pub daemon: &'d mut Daemon,
    /// What the agent itself can send.
    pub agent: Connection,
    /// What the program around the agent can send for it: turns, projects, observations.
    pub adapter: Connection,
    pub name: String,
    pub session: String,
    /// What came back, line by line.
    pub told: Vec<String>,
}

impl<'d> Play<'d> {
    pub fn new(daemon: &'d mut Daemon, number: usize) -> TrialResult<Self> {
        let name = format!("agent-{number}");
        let agent = daemon.add_agent(&name)?;
        let added = daemon.operator().post("/v1/agents", &json!({"agent": name, "adapter": true}));
        let added = added.context("adding an adapter")?;
        let token = added.get("token").and_then(Value::as_str).map(str::to_owned);
        let adapter = daemon.agent().with_token(token);
        let session = format!("talk-{number}");
        Ok(Self { daemon, agent, adapter, name, session, told: Vec::new() })
    }

    pub fn operator(&self) -> Connection {
        self.daemon.operator()
    }

    /// The name by which the operator finds the session, whatever other agents call theirs.
    pub fn operators_name(&self) -> String {
        format!("{}/{}", self.name, self.session)
    }

    /// Goes on in another session of the same agent.
    pub fn open_other_session(&mut self) {
        self.session.push_str("-next");
        self.tell("the agent opens another session".to_owned());
    }

    pub fn tell(&mut self, line: String) {
        self.told.push(line);
    }

    /// A folder that agents may take for their workspace.
    pub fn workspace(&self) -> TrialResult<PathBuf> {
        let folder = self.daemon.data().with_file_name(format!("work-{}", self.name));
        std::fs::create_dir_all(folder.join("src")).context("a workspace")?;
        Ok(folder)
    }

    pub fn call(&self, action: &str) -> CallBuilder {
        CallBuilder::new(&self.session, json!({"actions": [action]}))
    }

    pub fn tool(&self, tool: &str, args: Value) -> CallBuilder {
        CallBuilder::new(&self.session, json!({"tool": tool, "args": args}))
    }

    /// The agent sends something, and it is accepted.
    pub fn agent_sends(&mut self, path: &str, body: Value) -> TrialResult<Value> {
        let sent = self.agent.post(path, &with_session(&self.session, body));
        self.take_reply("agent", path, sent)
    }

    pub fn adapter_sends(&mut self, path: &str, body: Value) -> TrialResult<Value> {
        let sent = self.adapter.post(path, &with_session(&self.session, body));
        self.take_reply("adapter", path, sent)
    }

    pub fn operator_sends(&mut self, path: &str, body: &Value) -> TrialResult<Value> {
        let sent = self.operator().post(path, body);
        self.take_reply("operator", path, sent)
    }

    pub fn operator_reads(&mut self, path: &str) -> TrialResult<Value> {
        self.operator().get(path).map_err(|error| Failure::new(format!("GET {path}: {error}")))
    }

    pub fn agent_reads(&mut self, path: &str) -> TrialResult<Value> {
        let path = format!("{path}?session={}", self.session);
        let read = self.agent.get(&path);
        self.take_reply("agent", &path, read)
    }

    fn take_reply(
        &mut self,
        who: &str,
        path: &str,
        reply: Result<Value, ClientError>,
    ) -> TrialResult<Value> {
        match reply {
            Ok(reply) => {
                self.tell(format!("{who} {path}: {}", shorten(&reply.to_string())));
                Ok(reply)
            }
            Err(error) => Err(Failure::new(format!("{who} {path}: refused: {error}"))),
        }
    }

    /// The agent sends something that must be refused with this status and these words.
    pub fn agent_is_refused(
        &mut self,
        path: &str,
        body: Value,
        (status, words): (u16, &str),
    ) -> TrialResult<()> {
        let sent = self.agent.post(path, &with_session(&self.session, body));
        self.expect_refusal(&format!("agent {path}"), sent, (status, words))
    }

    pub fn expect_refusal(
        &mut self,
        what: &str,
        reply: Result<Value, ClientError>,
        (status, words): (u16, &str),
    ) -> TrialResult<()> {
        match reply {
            Err(ClientError::Refused { status: found, message, remedy, .. }) if found == status => {
                let said = format!("{message}; {remedy}");
                self.tell(format!("{what}: refused with {status}: {}", shorten(&said)));
                self.expect_text(what, &said, words)
            }
            Err(error) => Err(Failure::new(format!("{what}: expected {status}, came {error:?}"))),
            Ok(reply) => Err(Failure::new(format!("{what}: expected {status}, came {reply}"))),
        }
    }

    pub fn expect_text(&self, what: &str, found: &str, expected: &str) -> TrialResult<()> {
        match found.contains(expected) {
            true => Ok(()),
            false => Err(Failure::new(format!("{what}: `{expected}` was expected in:\n{found}"))),
        }
    }

    pub fn expect<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        found: T,
        expected: T,
    ) -> TrialResult<()> {
        match found == expected {
            true => Ok(()),
            false => Err(Failure::new(format!("{what}: expected {expected:?}, came {found:?}"))),
        }
    }

    /// Runs a command of the program, and expects this exit code and these words in what it prints.
    pub fn cli(&mut self, words: &[&str], code: i32, expected: &str) -> TrialResult<String> {
        let output = self.daemon.run(words)?;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).trim().to_owned();
        let line = format!("countersign {}", words.join(" "));
        let exit = output.status.code();
        let first = printed.lines().next().unwrap_or_default().to_owned();
        self.tell(format!("{line}: exit {}: {}", exit.unwrap_or(-1), shorten(&first)));
        if exit != Some(code) {
            return Err(Failure::new(format!(
                "{line}: expected exit {code}, came {exit:?}:\n{printed}"
            )));
        }
        self.expect_text(&line, &printed, expected)?;
        Ok(printed)
    }

    /// A surface that reads events for as long as the returned stream is open.
    pub fn open_surface(&mut self, name: &str) -> TrialResult<UnixStream> {
        let stream = self.open_events(&format!("surface={name}"))?;
        self.tell(format!("the surface {name} reads events"));
        Ok(stream)
    }

    /// Reads the events from the first one on, until one contains these words.
    pub fn await_event(&mut self, words: &str) -> TrialResult<()> {
        let stream = self.open_events("from=1")?;
        stream.set_read_timeout(Some(PATIENCE)).context("reading events")?;
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let found = lines.find(|line| line.contains(words));
        let found = found.ok_or_else(|| Failure::new(format!("no event has `{words}` in it")))?;
        self.tell(format!("event: {}", shorten(&found)));
        Ok(())
    }

    fn open_events(&self, query: &str) -> TrialResult<UnixStream> {
        let stream = UnixStream::connect(self.daemon.data().join("operator.sock"));
        let mut stream = stream.context("the operator's socket")?;
        let request = format!("GET /v1/events?{query} HTTP/1.1\r\nhost: countersign\r\n\r\n");
        stream.write_all(request.as_bytes()).context("reading events")?;
        let mut status = [0; 15];
        stream.read_exact(&mut status).context("reading events")?;
        let status = String::from_utf8_lossy(&status).into_owned();
        self.expect("the stream", status, "HTTP/1.1 200 OK".to_owned())?;
        Ok(stream)
    }

    /// Takes the credentials of the scenario's agent back: a daemon holds only so many.
    pub fn finish(&mut self) -> TrialResult<()> {
        let path = format!("/v1/agents/{}/revoke", self.name);
        self.operator().post(&path, &json!({})).context("revoking the agent").map(drop)
    }

    /// Kills the daemon and starts it again on the same record.
    pub fn restart(&mut self) -> TrialResult<()> {
        self.daemon.kill()?;
        self.daemon.restart()?;
        self.tell("the daemon is killed and started again".to_owned());
        Ok(())
    }
}

/// The session is part of what agents send, unless the body names one.
pub fn with_session(session: &str, mut body: Value) -> Value {
    if let Some(fields) = body.as_object_mut() {
        fields.entry("session").or_insert_with(|| json!(session));
    }
    body
}

/// A text of a reply; empty if it is missing.
pub fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub fn shorten(text: &str) -> String {
    let line = text.replace('\n', " / ");
    match line.char_indices().nth(160) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}
