//! The whole text of a request, line by line, with nothing left out: what a card cannot hold is read
//! here, a page at a time.

use crate::decided::DecidedCall;
use crate::exact::{FileChange, list_declared_actions};
use crate::kind::classify_call;
use crate::limits::FULL_TEXT_LINE_CHARS;
use crate::text::escape_untrusted;
use crate::values::{ShownValue, show_name};
use crate::{CardContext, closed};
use countersign_core::model::call::Call;
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::request::{Request, Subject};
use serde_json::Value;

/// All lines of a request. Untrusted text is escaped and stands behind a bar; a line that is too
/// long goes on behind `>`. Two different calls never have the same lines.
pub fn render_full_text(context: CardContext<'_>, request: &Request) -> Vec<String> {
    let mut lines = FullTextLines(Vec::new());
    lines.0.extend(closed::describe_end(context, request).map(|closed| closed.text.to_string()));
    match &request.subject {
        Subject::Calls(calls) => match calls.first().and_then(|id| context.state.calls.get(id)) {
            Some(record) => lines.push_call(&DecidedCall::new(context, request, &record.call)),
            None => lines.0.push("the call is no longer known".to_owned()),
        },
        Subject::Ahead(ahead) => {
            lines.push("the agent wants to", &ahead.text);
            lines.push("the agent says, as its reason", &ahead.reason);
            lines.push("the agent says, if not", &ahead.fallback);
        }
        Subject::Start(start) => {
            lines.push("workflow", start.workflow.as_str());
            let actions = list_declared_actions(context, start);
            actions.iter().for_each(|action| lines.push("action", action));
        }
        Subject::Standing(coverage) => lines.push("covers", &coverage.to_string()),
        Subject::Slash(slash) => lines.push("action", slash.action.as_str()),
        Subject::Imported(imported) => {
            lines.push("covers", &imported.coverage.to_string());
            lines.push("said there", &imported.words);
        }
        Subject::Proposal(id) => {
            if let Some(proposal) = context.state.proposals.get(id) {
                let (before, after) = (&proposal.diff.before, &proposal.diff.after);
                lines.push_change(&FileChange::from_texts("change", before, after));
                lines.push("before", before);
                lines.push("after", after);
                lines.push("undo", &proposal.undo);
            }
        }
    }
    for file in &request.run_files {
        lines.push(&format!("changed {}", escape_untrusted(&file.path)), &file.difference);
    }
    for program in &request.programs {
        if program.is_absent() {
            lines.push("program that was not found", &program.path);
            continue;
        }
        let hash = if program.hash.is_empty() { "nobody can read it" } else { &program.hash };
        lines.push("program that the agent could replace", &program.path);
        lines.push("its sha256", hash);
    }
    lines.0
}

struct FullTextLines(Vec<String>);

impl FullTextLines {
    fn push(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.push_lines(name, text.split('\n').map(escape_untrusted));
        }
    }

    fn push_lines(&mut self, name: &str, lines: impl IntoIterator<Item = String>) {
        self.0.push(format!("{name}:"));
        for line in lines {
            let escaped: Vec<char> = line.chars().collect();
            let mut bar = "  | ";
            for piece in escaped.chunks(FULL_TEXT_LINE_CHARS) {
                self.0.push(format!("{bar}{}", piece.iter().collect::<String>()));
                bar = "  > ";
            }
            if escaped.is_empty() {
                self.0.push("  |".to_owned());
            }
        }
    }

    fn push_change(&mut self, change: &FileChange<'_>) {
        self.push_lines(&change.label(), change.all_lines());
    }

    fn push_call(&mut self, decided: &DecidedCall<'_>) {
        let call = decided.call;
        if call.is_redacted() {
            let note = "REDACTED-… stands for a secret that is no longer here: its length, or the \
                        last four characters of a card number or IBAN, and a mark that differs for \
                        different secrets. The call runs with the secret itself. If the question \
                        is open, the agent has to make the call again before it can be shown.";
            self.0.push(note.to_owned());
        }
        call.actions.iter().for_each(|action| self.push("action", action.as_str()));
        if decided.actions != call.actions {
            decided.actions.iter().for_each(|action| self.push("decided as", action.as_str()));
        }
        call.declares.iter().for_each(|action| self.push("declares", action.as_str()));
        if let Some(command) = &call.command {
            match command {
                Command::Plain { argv, .. } => self.push("command", &render_argv(argv)),
                Command::NotPlain { text, .. } => self.push("command line", text),
            }
            self.push("command runs in", command.cwd().unwrap_or_default());
        }
        for change in FileChange::find_in(&call.args, classify_call(decided)) {
            self.push_change(&change);
        }
        call.target.iter().for_each(|target| self.push_value("target", target));
        call.recipients.iter().for_each(|recipient| self.push_value("recipient", recipient));
        match &call.args {
            Value::Null => {}
            Value::Object(fields) => {
                for (name, value) in fields {
                    let value = ShownValue::from_json(value);
                    let name = format!("argument {}{}", show_name(name), value.type_note());
                    self.push_lines(&name, value.to_lines());
                }
            }
            other => {
                let value = ShownValue::from_json(other);
                self.push_lines(&format!("arguments{}", value.type_note()), value.to_lines());
            }
        }
        self.push_origin(call);
        self.push("the agent says, as its reason", &call.claims.reason);
        self.push("the agent says, if not", &call.claims.fallback);
    }

    fn push_value(&mut self, name: &str, text: &str) {
        self.push_lines(name, ShownValue::from_text(text).to_lines());
    }

    fn push_origin(&mut self, call: &Call) {
        self.push("agent", call.agent.as_str());
        self.push("session", call.session.name());
        self.push("project", call.project.as_ref().map_or("", |project| project.as_str()));
        let workspace = call.folders.workspace.as_ref();
        self.push("workspace", workspace.map_or("", |folder| folder.as_str()));
        self.push("tool", call.tool.as_ref().map_or("", |tool| tool.as_str()));
        self.push("folder", call.cwd.as_deref().unwrap_or_default());
        call.given.iter().for_each(|category| self.push("category", category.as_str()));
        let claims = &call.claims;
        let claimed = claims.categories.iter();
        claimed.for_each(|category| self.push("the agent says, category", category.as_str()));
        self.push("the agent says, risk", claims.risk.map_or("", |risk| risk.word()));
    }
}
