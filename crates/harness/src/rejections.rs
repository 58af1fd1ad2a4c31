//! The no that a user gives in Claude Code's own prompt.
//!
//! No event reports it. The program writes it into its transcript, as the result of the tool that it
//! did not run: `toolDenialKind` is `user-rejected`, and what the user wrote beside the no follows the
//! words *the user said*. Whoever forges such a line declines a call, which never allows anything.

use crate::limits;
use serde::Deserialize;

/// One call that the user has rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The program's own id of the call.
    pub id: String,
    /// What the user wrote beside the no.
    pub note: String,
}

/// The rejections in lines of a transcript. Lines of any other kind are skipped.
pub fn find_rejections(lines: &str) -> Vec<Rejection> {
    let marked = lines.lines().filter(|line| line.contains(REJECTED));
    let parsed = marked.filter_map(|line| serde_json::from_str::<TranscriptLine>(line).ok());
    parsed
        .filter(|line| line.kind == REJECTED)
        .flat_map(|line| line.message.content)
        .filter_map(|block| {
            let note = block.content.as_str().map(read_note).unwrap_or_default();
            Some(Rejection { id: block.tool_use_id?, note })
        })
        .collect()
}

const REJECTED: &str = "user-rejected";
const BEFORE_NOTE: &str = "the user said:";

#[derive(Deserialize)]
struct TranscriptLine {
    #[serde(rename = "toolDenialKind")]
    kind: String,
    message: TranscriptMessage,
}

#[derive(Deserialize)]
struct TranscriptMessage {
    content: Vec<ResultBlock>,
}

#[derive(Deserialize)]
struct ResultBlock {
    tool_use_id: Option<String>,
    #[serde(default)]
    content: serde_json::Value,
}

fn read_note(text: &str) -> String {
    let note = text.split_once(BEFORE_NOTE).map_or("", |(_, note)| note.trim());
    note.get(..note.floor_char_boundary(limits::MAX_WORDS_BYTES)).unwrap_or(note).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(kind: &str, content: &str) -> String {
        let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": content});
        json!({"type": "user", "toolDenialKind": kind, "message": {"content": [result]}})
            .to_string()
    }

    #[test]
    fn a_no_is_found_with_its_note() {
        let plain = line("user-rejected", "The user doesn't want to proceed with this tool use.");
        let noted = line("user-rejected", "To tell you how to proceed, the user said:\nnot today");
        let found = find_rejections(&format!("{plain}\nno JSON user-rejected\n{noted}\n"));
        let notes: Vec<_> = found.iter().map(|one| (one.id.as_str(), one.note.as_str())).collect();
        assert_eq!(notes, [("t1", ""), ("t1", "not today")]);
    }

    #[test]
    fn other_lines_are_no_rejections() {
        for text in [line("hook", "user-rejected"), json!("user-rejected").to_string()] {
            assert_eq!(find_rejections(&text), [], "{text}");
        }
    }
}
