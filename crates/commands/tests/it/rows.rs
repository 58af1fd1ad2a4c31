//! The rows of the corpus.

use countersign_commands::{Expected, NotLooked, Places, Rules, Verdict};
use serde_json::Value;

pub struct Row {
    pub id: String,
    pub rule: String,
    pub command: String,
    pub expected: Expected,
}

/// The corpus takes `/w` for workspace and working directory.
pub const HERE: Places<'static> =
    Places { workspace: Some("/w"), cwd: Some("/w"), disk: &NotLooked };

pub fn rows() -> Vec<Row> {
    include_str!("../../../../corpus/commands.jsonl").lines().map(row).collect()
}

fn row(line: &str) -> Row {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    Row {
        id: text("id"),
        rule: text("allowlisted_rule"),
        command: text("command"),
        expected: Expected::parse(&text("expected")).unwrap(),
    }
}

pub fn verdict(rule: &str, command: &str) -> Verdict {
    Rules::parse(rule).unwrap().judge(command, &HERE).verdict
}
