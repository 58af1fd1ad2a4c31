//! Claude Code: a message of the assistant has its calls as `tool_use` items.

use super::{TranscriptCall, TranscriptReader, text};
use serde_json::Value;

impl TranscriptReader {
    pub(super) fn read_claude(&mut self, line: &Value) -> Vec<TranscriptCall> {
        self.remember(text(line, "sessionId"), text(line, "cwd"));
        if text(line, "type") != Some("assistant") {
            return Vec::new();
        }
        let at = text(line, "timestamp");
        let content = line.pointer("/message/content").and_then(Value::as_array);
        let items = content.into_iter().flatten();
        let uses = items.filter(|item| text(item, "type") == Some("tool_use"));
        uses.filter_map(|item| Some(self.call(text(item, "name")?, item.get("input")?.clone(), at)))
            .collect()
    }
}
