//! Slash commands. They list and revoke; none of them answers a question.

use super::{Prompt, PromptTask};
use crate::parse::SlashCommand;

impl Prompt {
    pub(super) fn run_command(&mut self, command: SlashCommand) {
        match command {
            SlashCommand::Quit => self.quit(),
            SlashCommand::Help if self.is_full_screen() => self.show_help(),
            SlashCommand::Messages if self.is_full_screen() => self.list_messages(),
            SlashCommand::Messages => self.show_messages(),
            SlashCommand::RevokeLast => self.revoke_last(),
            SlashCommand::Help => HELP.iter().for_each(|line| self.write_line(line)),
            SlashCommand::Show(None) => self.show_active(),
            SlashCommand::Show(Some(id)) => self.show_named(&id.to_lowercase()),
            SlashCommand::ListRequests => self.list_requests(),
            other => self.tasks.push(PromptTask::RunCommand(other)),
        }
    }

    /// Writes the messages that were held back, and shows the card again below them.
    fn show_messages(&mut self) {
        match self.held.is_empty() {
            true => self.write_line("there are no messages"),
            false => self.show_active(),
        }
    }

    /// Takes back what the last answer allowed.
    fn revoke_last(&mut self) {
        match self.last_answered.take() {
            Some(request) => {
                self.tasks.push(PromptTask::RunCommand(SlashCommand::RevokeAnswer(request)));
            }
            None => self.write_line("there is no answer of yours to take back here"),
        }
    }

    fn list_requests(&mut self) {
        if self.questions.is_empty() {
            self.write_line("nothing waits for an answer");
        }
        for question in self.questions.clone() {
            let line = format!("{}: {}", self.short_id(&question.request), question.announcement);
            self.write_shortened(&line);
        }
    }

    /// Prints the result of a command that the driver ran.
    pub fn show_command_result(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.write_line(line));
        if self.active.is_none() {
            self.show_next(0);
        }
        self.unfold_replies();
        self.write_prompt();
    }
}

const HELP: [&str; 23] = [
    "?: explains the choices of the card; why: why you are asked; v: the whole call",
    "y: yes, as the card says; n: no; s: for this session; p: in this project",
    "n: words: no, and the words go to the agent",
    "once, task, 15m, session, project, decline: the choices of the card",
    "decline and stop: no, and the session's permissions end",
    "e: how far a yes can go; P: pauses the agent of the card",
    "u: takes back what your last answer allowed; what has run stays done",
    "later: moves the question behind the others; it stays open",
    "y r3e22a1: names the request; if it was not shown last, it is shown first",
    "critical requests: type the text that the card asks for",
    "/show ID: shows one card again",
    "/ls: lists open requests",
    "/m: shows what happened since the card was shown, and the card again",
    "/grants: lists grants",
    "/revoke ID: revokes a grant; /revoke all revokes every grant",
    "/allowlist: lists the commands that you allowed, with their uses",
    "Grant standing consent for: COMMAND, and Revoke consent for: COMMAND: in the card's session",
    "What have I consented to?, Revoke all consent, Clear consent state, stop, done: likewise",
    "/say SESSION WORDS: says it in another session",
    "/pause AGENT: denies the agent's calls; /resume AGENT ends that",
    "/help: shows this help",
    "/quit: ends the program; open requests stay open",
    "pasted text, Enter alone and keys from before a card was shown never answer",
];
