//! Transcripts in `tests/transcripts` become the calls in the file beside them.

use countersign_harness::{Program, TranscriptReader};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn lines(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    fs::read_to_string(folder.join(name)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn transcripts_become_the_calls_that_a_hook_would_have_seen() {
    for program in Program::ALL {
        let mut reader = TranscriptReader::new(program, "file-name");
        let found: Vec<Value> = lines(&format!("{}.jsonl", program.word()))
            .iter()
            .flat_map(|line| reader.read_line(line))
            .map(|call| {
                json!({"session": call.session, "tool": call.tool, "args": call.args,
                       "cwd": call.cwd, "at": call.at})
            })
            .collect();
        let expected: Vec<Value> = lines(&format!("{}.calls.jsonl", program.word()))
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(found, expected, "{program}");
    }
}

#[test]
fn a_transcript_without_a_session_has_the_name_of_its_file() {
    let mut reader = TranscriptReader::new(Program::ClaudeCode, "abc");
    let line =
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"T","input":{}}]}}"#;
    assert_eq!(reader.read_line(line)[0].session, "abc");
}
