//! Tool calls in the transcripts that coding agents keep, as a hook would have seen them.
//!
//! A line that is no tool call, or has a form that nobody knew when this was written, is skipped: the
//! calls are counted to compare presets, and nothing is decided by them.

mod claude;
mod codex;

use crate::Program;
use serde_json::Value;

/// A call that an agent made some time ago.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptCall {
    pub session: String,
    pub tool: String,
    pub args: Value,
    pub cwd: Option<String>,
    /// When, as the program wrote it.
    pub at: Option<String>,
}

/// Reads one transcript, line by line. What a line says about the session holds for those after it.
pub struct TranscriptReader {
    program: Program,
    session: String,
    cwd: Option<String>,
}

impl TranscriptReader {
    /// `name` is the name of the file, for a transcript that does not name its session.
    pub fn new(program: Program, name: &str) -> Self {
        Self { program, session: name.to_owned(), cwd: None }
    }

    /// The calls of the next line.
    pub fn read_line(&mut self, line: &str) -> Vec<TranscriptCall> {
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        match self.program {
            Program::ClaudeCode => self.read_claude(&line),
            Program::Codex => self.read_codex(&line),
        }
    }

    fn remember(&mut self, session: Option<&str>, cwd: Option<&str>) {
        if let Some(session) = session {
            session.clone_into(&mut self.session);
        }
        if let Some(cwd) = cwd {
            self.cwd = Some(cwd.to_owned());
        }
    }

    fn call(&self, tool: &str, args: Value, at: Option<&str>) -> TranscriptCall {
        TranscriptCall {
            session: self.session.clone(),
            tool: tool.to_owned(),
            args,
            cwd: self.cwd.clone(),
            at: at.map(str::to_owned),
        }
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}
