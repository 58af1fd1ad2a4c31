//! The whole text of a request, line by line, with nothing left out: what a card cannot hold is read
//! here, a page at a time.

use crate::CardContext;
use crate::limits::WHOLE_LINE_CHARS;
use crate::text::escape_for_display;
use countersign_core::model::call::Call;
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::request::{Request, Subject};
use serde_json::Value;

/// All lines of a request. Untrusted text is escaped and stands behind a bar; a line that is too
/// long goes on behind `>`.
pub fn render_whole(context: CardContext<'_>, request: &Request) -> Vec<String> {
    let mut lines = WholeLines(Vec::new());
    match &request.subject {
        Subject::Calls(calls) => {
            let call = calls.first().and_then(|id| context.state.calls.get(id));
            if let Some(record) = call {
                lines.push_call(&record.call);
            }
        }
        Subject::Ahead(ahead) => {
            lines.push("the agent wants to", &ahead.text);
            lines.push("the agent says, as its reason", &ahead.reason);
            lines.push("the agent says, if not", &ahead.fallback);
        }
        Subject::Start(start) => {
            lines.push("workflow", start.workflow.as_str());
            start.actions.iter().for_each(|action| lines.push("action", action.as_str()));
        }
        Subject::Standing(coverage) => lines.push("covers", &coverage.to_string()),
        Subject::Slash(slash) => lines.push("action", slash.action.as_str()),
        Subject::Imported(imported) => {
            lines.push("covers", &imported.coverage.to_string());
            lines.push("said there", &imported.words);
        }
        Subject::Proposal(id) => {
            if let Some(proposal) = context.state.proposals.get(id) {
                lines.push("before", &proposal.diff.before);
                lines.push("after", &proposal.diff.after);
                lines.push("undo", &proposal.undo);
            }
        }
    }
    lines.0
}

struct WholeLines(Vec<String>);

impl WholeLines {
    fn push(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.0.push(format!("{}:", escape_for_display(name)));
        for line in text.split('\n') {
            let escaped: Vec<char> = escape_for_display(line).chars().collect();
            let mut bar = "  | ";
            for piece in escaped.chunks(WHOLE_LINE_CHARS) {
                self.0.push(format!("{bar}{}", piece.iter().collect::<String>()));
                bar = "  > ";
            }
            if escaped.is_empty() {
                self.0.push("  |".to_owned());
            }
        }
    }

    fn push_call(&mut self, call: &Call) {
        call.actions.iter().for_each(|action| self.push("action", action.as_str()));
        call.declares.iter().for_each(|action| self.push("declares", action.as_str()));
        match &call.command {
            Some(Command::Plain { argv, .. }) => self.push("command", &rendered(argv)),
            Some(Command::NotPlain { text, .. }) => self.push("command", text),
            None => {}
        }
        call.target.iter().for_each(|target| self.push("target", target));
        if call.recipients != call.target {
            call.recipients.iter().for_each(|recipient| self.push("recipient", recipient));
        }
        match &call.args {
            Value::Null => {}
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.push(&format!("argument {name}"), &argument_text(value));
                }
            }
            other => self.push("arguments", &argument_text(other)),
        }
        self.push("the agent says, as its reason", &call.claims.reason);
        self.push("the agent says, if not", &call.claims.fallback);
    }
}

fn argument_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) => {
            serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
