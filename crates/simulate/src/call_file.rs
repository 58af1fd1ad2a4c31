//! Files of calls: one JSON object per line, with `session`, `tool`, `args` and `cwd`.
//!
//! Other keys are ignored, so that a transcript can be passed as it is.

use crate::limits::{MAX_LINE_BYTES, MAX_SHOWN_TOOL};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::io::BufRead;

/// One call of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulatedCall {
    pub session: String,
    /// Transcripts hold whatever a model wrote here: what is no text, or none at all, is kept as it
    /// is, and the call counts as malformed.
    #[serde(default)]
    pub tool: Value,
    #[serde(default = "no_arguments")]
    pub args: Value,
    /// The folder that the call runs in.
    #[serde(default, deserialize_with = "deserialize_some")]
    pub cwd: Option<String>,
    /// The workspace of the session. The first call of a session decides; without it, the workspace is
    /// the folder of that call.
    #[serde(default, deserialize_with = "deserialize_some")]
    pub project: Option<String>,
    #[serde(default = "default_agent")]
    pub agent: String,
}

impl SimulatedCall {
    /// The tool as it is shown, however it was written.
    pub fn show_tool(&self) -> String {
        let text = self.tool.as_str().map_or_else(|| self.tool.to_string(), str::to_owned);
        match text.char_indices().nth(MAX_SHOWN_TOOL) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }
}

fn no_arguments() -> Value {
    json!({})
}

fn default_agent() -> String {
    "agent".to_owned()
}

/// `null` and an empty text mean that the value is missing.
fn deserialize_some<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text: Option<String> = Option::deserialize(from)?;
    Ok(text.filter(|text| !text.is_empty()))
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {why}")]
pub struct CallFileError {
    pub line: usize,
    pub why: String,
}

/// Reads every line that is not blank.
pub fn read_calls(from: impl BufRead) -> Result<Vec<SimulatedCall>, CallFileError> {
    let mut calls = Vec::new();
    for (number, line) in (1..).zip(from.lines()) {
        let line = line.map_err(|error| CallFileError { line: number, why: error.to_string() })?;
        if !line.trim().is_empty() {
            calls.push(read_call(number, &line)?);
        }
    }
    Ok(calls)
}

fn read_call(line: usize, text: &str) -> Result<SimulatedCall, CallFileError> {
    if text.len() > MAX_LINE_BYTES {
        let why = format!("longer than {MAX_LINE_BYTES} bytes");
        return Err(CallFileError { line, why });
    }
    serde_json::from_str(text).map_err(|error| CallFileError { line, why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_transcript_are_ignored_and_null_means_missing() {
        let text =
            r#"{"session": "a", "tool": "Bash", "args": {"command": "ls"}, "cwd": null, "ts": 1}"#;
        let calls = read_calls(text.as_bytes()).unwrap();
        assert_eq!(
            calls,
            [SimulatedCall {
                session: "a".into(),
                tool: "Bash".into(),
                args: json!({"command": "ls"}),
                cwd: None,
                project: None,
                agent: "agent".into(),
            }]
        );
    }

    #[test]
    fn an_error_names_the_line_in_the_file() {
        let text = "{\"session\": \"a\", \"tool\": \"Read\"}\n\n{\"session\": 1}\n";
        assert_eq!(read_calls(text.as_bytes()).unwrap_err().line, 3);
    }
}
