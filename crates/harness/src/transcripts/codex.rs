//! Codex: calls are items of their own. Its hooks see every way to run a command line as `Bash`.

use super::{TranscriptCall, TranscriptReader, text};
use crate::shell_words::quote;
use serde_json::{Value, json};

impl TranscriptReader {
    pub(super) fn read_codex(&mut self, line: &Value) -> Vec<TranscriptCall> {
        let Some(item) = line.get("payload") else { return Vec::new() };
        let at = text(line, "timestamp");
        match text(line, "type") {
            Some("session_meta") => self.remember(text(item, "id"), text(item, "cwd")),
            Some("turn_context") => self.remember(None, text(item, "cwd")),
            Some("response_item") => return self.read_item(item, at).into_iter().collect(),
            Some(_) | None => {}
        }
        Vec::new()
    }

    fn read_item(&self, item: &Value, at: Option<&str>) -> Option<TranscriptCall> {
        match text(item, "type")? {
            "function_call" => {
                let args: Value = serde_json::from_str(text(item, "arguments")?).ok()?;
                Some(self.read_function(text(item, "name")?, args, at))
            }
            "custom_tool_call" => {
                let args = json!({"command": text(item, "input")?});
                Some(self.call(text(item, "name")?, args, at))
            }
            "local_shell_call" => Some(self.run_command(item.get("action")?, at)?),
            _ => None,
        }
    }

    fn read_function(&self, name: &str, args: Value, at: Option<&str>) -> TranscriptCall {
        let is_shell = matches!(name, "shell" | "shell_command" | "exec_command" | "local_shell");
        let run = is_shell.then(|| self.run_command(&args, at)).flatten();
        run.unwrap_or_else(|| self.call(name, args, at))
    }

    /// The command may be a line, or words.
    fn run_command(&self, args: &Value, at: Option<&str>) -> Option<TranscriptCall> {
        let command = args.get("command").or_else(|| args.get("cmd"))?;
        let line = match command {
            Value::String(line) => line.clone(),
            Value::Array(words) => {
                join_words(&words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        };
        let mut call = self.call("Bash", json!({"command": line}), at);
        let folder = text(args, "workdir").or_else(|| text(args, "working_directory"));
        // A relative folder starts where the session works.
        if let Some(folder) = folder.filter(|folder| folder.starts_with('/')) {
            call.cwd = Some(folder.to_owned());
        }
        Some(call)
    }
}

/// `bash -lc LINE` is the line; other words are quoted where a shell needs it.
fn join_words(words: &[&str]) -> String {
    if let [shell, "-lc" | "-c", line] = words
        && shell.ends_with("sh")
    {
        return (*line).to_owned();
    }
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}
