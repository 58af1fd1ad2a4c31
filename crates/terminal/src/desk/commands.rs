//! What is typed after a slash: it looks or takes back, and answers nothing.

use super::{Act, Desk};
use crate::reply::Command;

impl Desk {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Quit => self.quit(),
            Command::Help => HELP.iter().for_each(|line| self.said(line)),
            Command::Show(None) => self.show_current(),
            Command::Show(Some(id)) => self.other_one(&id.to_lowercase()),
            Command::Waiting => self.list(),
            other => self.acts.push(Act::Command(other)),
        }
    }

    fn list(&mut self) {
        if self.questions.is_empty() {
            self.said("nothing waits for an answer");
        }
        for question in self.questions.clone() {
            self.said(&format!("{}: {}", question.short(), question.announced));
        }
    }

    /// Lines that a command has brought.
    pub fn answered(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.said(line));
        if self.current.is_none() {
            self.next();
        }
        self.prompt();
    }
}

const HELP: [&str; 16] = [
    "y: yes, as the prompt says; n: no; s: for this session; p: in this project",
    "n: and words: no, and the agent is told why",
    "once, task, 15m, session, project, decline: as the card offers them",
    "decline and stop: no, and what the session was allowed ends",
    "later: puts it behind the others, open",
    "y 3e22a1: says which one is meant; one that was not shown last is shown first",
    "something critical: type what the card asks for",
    "/show ID: one card again",
    "/ls: what waits",
    "/grants: what is granted",
    "/revoke ID: takes a grant back; /revoke all takes everything back",
    "/allowlist: the commands that you named yourself, with their uses",
    "/pause AGENT and /resume AGENT",
    "/help: this",
    "/quit: ends this; what waits stays open",
    "pasting is never an answer, Enter alone is none, nor is what was typed before a card was shown",
];
