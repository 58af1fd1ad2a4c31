//! `countersign test --commands`: rows of rule, command and expectation, scored.

use crate::args::TestArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::page::{BOLD, Page, RED, YELLOW};
use crate::{files, out};
use countersign_commands::{
    CommandContext, CommandVerdict, ExpectedVerdict, Miss, NoDiskLookup, RuleSet,
};
use countersign_graph::{Problem, Problems, Span};
use serde_json::{Value, json};
use std::path::Path;

/// Workspace and working directory of every row.
const HERE: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w"), disk: &NoDiskLookup };

struct Row {
    id: String,
    rule: String,
    command: String,
    expected: ExpectedVerdict,
    word: String,
}

/// A row that was missed.
struct Missed {
    row: Row,
    miss: Miss,
    verdict: CommandVerdict,
}

pub(crate) fn test(args: &TestArgs, path: &Path) -> Result<Exit, Failure> {
    let rows = read(path)?;
    let mut missed = Vec::new();
    for row in rows {
        let verdict = judge(&row);
        if let Some(miss) = row.expected.find_miss(&verdict) {
            missed.push(Missed { row, miss, verdict });
        }
    }
    missed.sort_by_key(|missed| missed.miss);
    if args.json {
        out::show_json(&in_json(&missed))?;
    } else {
        out::show(&page(&missed))?;
    }
    let hard = missed.iter().any(|missed| missed.miss == Miss::Hard);
    Ok(if hard { Exit::Failure } else { Exit::Allowed })
}

/// A rule that is no rule allows nothing, and somebody is told.
fn judge(row: &Row) -> CommandVerdict {
    match RuleSet::parse(&row.rule) {
        Ok(rules) => rules.judge(&row.command, &HERE).verdict,
        Err(error) => {
            let why = format!("the rule is not understood: {error}");
            out::tell(&Page::of(&format!("{}: {why}; {}", row.id, error.help)));
            match RuleSet::new(Vec::new()).judge(&row.command, &HERE).verdict {
                CommandVerdict::Match { .. } | CommandVerdict::Ask { .. } => {
                    CommandVerdict::Ask { why }
                }
                denied @ CommandVerdict::Deny { .. } => denied,
            }
        }
    }
}

fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    let bytes = files::read(path)?;
    let name = path.display().to_string();
    let fail = |problems| Failure::from(Problems::new(&name, &bytes, problems));
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = Span::at(error.valid_up_to());
        fail(vec![Problem::new(at, "this is not UTF-8", "save the file as UTF-8")])
    })?;
    let (mut rows, mut problems, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            match row(line) {
                Ok(row) => rows.push(row),
                Err(message) => problems.push(Problem::new(Span::at(at), message, FORM)),
            }
        }
        at += line.len();
    }
    if !problems.is_empty() {
        return Err(fail(problems));
    }
    if rows.is_empty() {
        let message = format!("`{name}` holds no row, so that nothing was tested");
        return Err(Failure::new(message, FORM));
    }
    Ok(rows)
}

const FORM: &str = "write one object on each line: {\"id\": …, \"allowlisted_rule\": …, \
                    \"command\": …, \"expected\": \"match\" | \"ask\" | \"deny\", \"why\": …}";

fn row(line: &str) -> Result<Row, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("this is not JSON: {error}"))?;
    let text = |key: &str| match value.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is not a text")),
        None => Err(format!("`{key}` is missing")),
    };
    let word = text("expected")?;
    let expected = ExpectedVerdict::parse(&word)
        .ok_or_else(|| format!("`{word}` is not `match`, `ask` or `deny`"))?;
    Ok(Row {
        id: text("id")?,
        rule: text("allowlisted_rule")?,
        command: text("command")?,
        expected,
        word,
    })
}

fn count(missed: &[Missed], miss: Miss) -> usize {
    missed.iter().filter(|missed| missed.miss == miss).count()
}

fn page(missed: &[Missed]) -> Page {
    let mut page = Page::new();
    for miss in Miss::ALL {
        page.text(&format!("{} {}", count(missed, miss), miss.word())).end();
    }
    for Missed { row, miss, verdict } in missed {
        let style = if *miss == Miss::Hard { RED.bold() } else { YELLOW.bold() };
        page.styled(style, miss.word()).text(": ").styled(BOLD, &row.id);
        page.text(&format!(": expected {}, got {}", row.word, verdict.word())).end();
        page.text("  rule     ").text(&row.rule).end();
        page.text("  command  ").text(&row.command).end();
        if let CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } = verdict {
            page.text("  because  ").text(why).end();
        }
    }
    page
}

fn in_json(missed: &[Missed]) -> Value {
    let rows: Vec<Value> = missed
        .iter()
        .map(|Missed { row, miss, verdict }| {
            let why = match verdict {
                CommandVerdict::Match { .. } => None,
                CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } => Some(why),
            };
            json!({"id": row.id, "miss": miss.word(), "expected": row.word,
                   "got": verdict.word(), "why": why})
        })
        .collect();
    let mut value = json!({"v": 1, "rows": rows});
    if let Some(fields) = value.as_object_mut() {
        for miss in Miss::ALL {
            fields.insert(miss.word().to_owned(), json!(count(missed, miss)));
        }
    }
    value
}
