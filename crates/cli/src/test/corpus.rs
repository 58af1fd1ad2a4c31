//! `countersign test --commands`: judges a corpus of commands and counts the misses.

use super::TestArgs;
use countersign_commands::{
    CommandContext, CommandVerdict, ExpectedVerdict, Miss, NoDiskLookup, RuleSet,
};
use countersign_console::{BOLD, Exit, Failure, Page, RED, YELLOW, out};
use countersign_graph::{Problem, Problems, TextSpan};
use countersign_setup::files;
use serde_json::{Value, json};
use std::path::Path;

/// Workspace and working directory of every row.
const CONTEXT: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };

struct CorpusRow {
    id: String,
    rule: String,
    command: String,
    expected: ExpectedVerdict,
    word: String,
}

/// A row with an unexpected verdict.
struct CorpusMiss {
    row: CorpusRow,
    kind: Miss,
    verdict: CommandVerdict,
}

pub(super) fn test_commands(args: &TestArgs, path: &Path) -> Result<Exit, Failure> {
    let rows = read_corpus(path)?;
    let mut misses = Vec::new();
    for row in rows {
        let verdict = judge(&row);
        if let Some(kind) = row.expected.find_miss(&verdict) {
            misses.push(CorpusMiss { row, kind, verdict });
        }
    }
    misses.sort_by_key(|miss| miss.kind);
    if args.json {
        out::show_json(&to_json(&misses))?;
    } else {
        out::show(&draw(&misses))?;
    }
    let has_hard_miss = misses.iter().any(|miss| miss.kind == Miss::Hard);
    Ok(if has_hard_miss { Exit::Failure } else { Exit::Allowed })
}

/// An invalid rule allows nothing, and is reported.
fn judge(row: &CorpusRow) -> CommandVerdict {
    match RuleSet::parse(&row.rule) {
        Ok(rules) => rules.judge(&row.command, &CONTEXT).verdict,
        Err(error) => {
            let why = format!("the rule is not valid: {error}");
            out::eprint(&Page::from_line(&format!("{}: {why}; {}", row.id, error.help)));
            match RuleSet::new(Vec::new()).judge(&row.command, &CONTEXT).verdict {
                CommandVerdict::Match { .. } | CommandVerdict::Ask { .. } => {
                    CommandVerdict::Ask { why }
                }
                denied @ CommandVerdict::Deny { .. } => denied,
            }
        }
    }
}

fn read_corpus(path: &Path) -> Result<Vec<CorpusRow>, Failure> {
    let bytes = files::read(path)?;
    let name = path.display().to_string();
    let fail = |problems| Failure::from(Problems::new(&name, &bytes, problems));
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = TextSpan::at_offset(error.valid_up_to());
        fail(vec![Problem::new(at, "this is not UTF-8", "save the file as UTF-8")])
    })?;
    let (mut rows, mut problems, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            match parse_row(line) {
                Ok(row) => rows.push(row),
                Err(message) => {
                    problems.push(Problem::new(TextSpan::at_offset(at), message, ROW_FORMAT))
                }
            }
        }
        at += line.len();
    }
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    if rows.is_empty() {
        let message = format!("`{name}` has no rows; nothing was tested");
        return Err(Failure::new(message, ROW_FORMAT));
    }
    Ok(rows)
}

const ROW_FORMAT: &str = "write one object on each line: {\"id\": …, \"allowlisted_rule\": …, \
                    \"command\": …, \"expected\": \"match\" | \"ask\" | \"deny\", \"why\": …}";

fn parse_row(line: &str) -> Result<CorpusRow, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("this is not JSON: {error}"))?;
    let text = |key: &str| match value.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is not a string")),
        None => Err(format!("`{key}` is missing")),
    };
    let word = text("expected")?;
    let expected = ExpectedVerdict::parse(&word)
        .ok_or_else(|| format!("`{word}` is not `match`, `ask` or `deny`"))?;
    Ok(CorpusRow {
        id: text("id")?,
        rule: text("allowlisted_rule")?,
        command: text("command")?,
        expected,
        word,
    })
}

fn count(misses: &[CorpusMiss], kind: Miss) -> usize {
    misses.iter().filter(|miss| miss.kind == kind).count()
}

fn draw(misses: &[CorpusMiss]) -> Page {
    let mut page = Page::new();
    for kind in Miss::ALL {
        page.text(&format!("{} {}", count(misses, *kind), kind.word())).end();
    }
    for CorpusMiss { row, kind, verdict } in misses {
        let style = if *kind == Miss::Hard { RED.bold() } else { YELLOW.bold() };
        page.styled(style, kind.word()).text(": ").styled(BOLD, &row.id);
        page.text(&format!(": expected {}, got {}", row.word, verdict.word())).end();
        page.text("  rule     ").text(&row.rule).end();
        page.text("  command  ").text(&row.command).end();
        if let CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } = verdict {
            page.text("  because  ").text(why).end();
        }
    }
    page
}

fn to_json(misses: &[CorpusMiss]) -> Value {
    let rows: Vec<Value> = misses
        .iter()
        .map(|CorpusMiss { row, kind, verdict }| {
            let why = match verdict {
                CommandVerdict::Match { .. } => None,
                CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } => Some(why),
            };
            json!({"id": row.id, "miss": kind.word(), "expected": row.word,
                   "got": verdict.word(), "why": why})
        })
        .collect();
    let mut value = json!({"v": 1, "rows": rows});
    if let Some(fields) = value.as_object_mut() {
        for kind in Miss::ALL {
            fields.insert(kind.word().to_owned(), json!(count(misses, *kind)));
        }
    }
    value
}
