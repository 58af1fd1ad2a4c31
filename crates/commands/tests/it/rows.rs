//! Reads the rows of the corpus.

use countersign_commands::{
    CommandContext, CommandVerdict, ExpectedVerdict, NoDiskLookup, RuleSet,
};
use serde_json::Value;

pub struct Row {
    pub id: String,
    pub rule: String,
    pub command: String,
    pub expected: ExpectedVerdict,
}

/// The corpus uses `/w` as workspace and working directory.
pub const HERE: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };

pub fn read_rows() -> Vec<Row> {
    include_str!("../../../../corpus/commands.jsonl").lines().map(parse_row).collect()
}

fn parse_row(line: &str) -> Row {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| row[key].as_str().unwrap().to_owned();
    Row {
        id: text("id"),
        rule: text("allowlisted_rule"),
        command: text("command"),
        expected: ExpectedVerdict::parse(&text("expected")).unwrap(),
    }
}

pub fn judge_command(rule: &str, command: &str) -> CommandVerdict {
    RuleSet::parse(rule).unwrap().judge(command, &HERE).verdict
}
