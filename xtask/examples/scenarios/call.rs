//! One call of the agent: what it says, and what it gets.

use super::TrialResult;
use super::play::{Play, shorten, text, with_session};
use serde_json::{Value, json};
use xtask::bench::runs::Context;
use xtask::failure::Failure;

/// A call before it is made.
#[derive(Clone)]
pub struct CallBuilder {
    body: Value,
    /// Sent by the adapter, which may add what it observed.
    by_adapter: bool,
}

/// A call that was made: its id, and the reply to it.
pub struct Called {
    pub operation: String,
    pub reply: Value,
}

impl CallBuilder {
    pub fn new(session: &str, body: Value) -> Self {
        Self { body: with_session(session, body), by_adapter: false }
    }

    fn set(mut self, name: &str, value: Value) -> Self {
        if let Some(fields) = self.body.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
        self
    }

    pub fn to(self, target: &str) -> Self {
        self.set("target", json!(target))
    }

    pub fn args(self, args: Value) -> Self {
        self.set("args", args)
    }

    pub fn confidence(self, sure: f64) -> Self {
        self.set("confidence", json!(sure))
    }

    pub fn declares(self, actions: &[&str]) -> Self {
        self.set("declares", json!(actions))
    }

    pub fn categories(self, categories: &[&str]) -> Self {
        self.set("categories", json!(categories))
    }

    pub fn because(self, reason: &str) -> Self {
        self.set("reason", json!(reason))
    }

    /// What the agent will do if the answer is no.
    pub fn otherwise(self, fallback: &str) -> Self {
        self.set("fallback", json!(fallback))
    }

    pub fn in_run(self, run: &str) -> Self {
        self.set("run", json!(run))
    }

    pub fn in_step(self, step: &str) -> Self {
        self.set("step", json!(step))
    }

    pub fn in_folder(self, folder: &str) -> Self {
        self.set("cwd", json!(folder))
    }

    /// The agent does not want to wait for somebody who is not there.
    pub fn without_parking(self) -> Self {
        self.set("park", json!("refused"))
    }

    /// Only an adapter names the project of a session.
    pub fn in_project(mut self, project: &str) -> Self {
        self.by_adapter = true;
        self.set("project", json!(project))
    }

    /// Only an adapter says what it saw around a call.
    pub fn observed(mut self, seen: Value) -> Self {
        self.by_adapter = true;
        self.set("observed", seen)
    }

    /// Makes the call, and compares the reply with this status and this reason.
    pub fn gets(self, play: &mut Play, status: &str, reason: &str) -> TrialResult<Called> {
        let sender = if self.by_adapter { &play.adapter } else { &play.agent };
        let reply = sender.post("/v1/check", &self.body).context("a call")?;
        let called = Called { operation: text(&reply, "operation_id"), reply };
        let what = match self.body.get("tool") {
            Some(tool) => format!("{tool} {}", self.body.get("args").unwrap_or(&Value::Null)),
            None => self.body.get("actions").unwrap_or(&Value::Null).to_string(),
        };
        called.compare(play, &format!("call {}", shorten(&what)), (status, reason))?;
        Ok(called)
    }
}

impl Called {
    fn compare(
        &self,
        play: &mut Play,
        what: &str,
        (status, reason): (&str, &str),
    ) -> TrialResult<()> {
        let found = (text(&self.reply, "status"), text(&self.reply, "reason"));
        let sentence = text(&self.reply, "sentence");
        play.tell(format!("{what}: {}, {}: {}", found.0, found.1, shorten(&sentence)));
        match found == (status.to_owned(), reason.to_owned()) {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "{what}: expected {status}, {reason}; came {}, {}: {sentence}",
                found.0, found.1
            ))),
        }
    }

    /// The agent asks again by the id alone; the stored call is decided.
    pub fn retried_gets(&self, play: &mut Play, status: &str, reason: &str) -> TrialResult<Self> {
        let path = format!("/v1/operations/{}/retry", self.operation);
        let body = json!({"session": play.session});
        let reply = play.agent.post(&path, &body).context("a retry")?;
        let called = Self { operation: self.operation.clone(), reply };
        called.compare(play, "retry", (status, reason))?;
        Ok(called)
    }

    /// The agent reports how the call ended.
    pub fn ends(&self, play: &mut Play, effect: &str) -> TrialResult<()> {
        let path = format!("/v1/operations/{}/outcome", self.operation);
        play.agent_sends(&path, json!({"effect": effect})).map(drop)
    }

    pub fn expect_state(&self, play: &mut Play, state: &str) -> TrialResult<()> {
        let read = play.agent_reads(&format!("/v1/operations/{}", self.operation))?;
        play.expect("the state of the operation", text(&read, "state"), state.to_owned())
    }

    pub fn expect_note(&self, play: &Play, note: &str) -> TrialResult<()> {
        play.expect("the operator's note", text(&self.reply, "note"), note.to_owned())
    }

    /// A line that the reply announces, such as the consent that was used.
    pub fn expect_line(&self, play: &Play, line: &str) -> TrialResult<()> {
        let lines = self.reply.get("announcements").unwrap_or(&Value::Null).to_string();
        play.expect_text("what is announced", &lines, line)
    }
}
