//! `ledger show`: prints one entry, readable or as it was hashed.

use super::args::LedgerShowArgs;
use super::line::export_json;
use crate::record::ReportContext;
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_core::model::names::SessionKey;
use countersign_core::model::time::Time;
use countersign_ledger::Entry;
use serde_json::Value;

pub(super) fn show(args: &LedgerShowArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let found = args.record.open_reader(&context.record)?.read_entries(args.seq, 1)?;
    let entry = match found.first() {
        Some(entry) if entry.seq == args.seq => entry,
        Some(_) => {
            return Err(no_entry(args.seq, "an entry is missing: run `countersign ledger verify`"));
        }
        None => {
            let help = "`countersign ledger query --last 1` shows the last one";
            return Err(no_entry(args.seq, help));
        }
    };
    if args.json {
        out::show_json(&export_json(entry))?;
    } else {
        out::show(&entry_page(entry)?)?;
    }
    Ok(Exit::Allowed)
}

fn no_entry(seq: u64, help: &str) -> Failure {
    Failure::usage(format!("the ledger has no entry {seq}"), help)
}

fn entry_page(entry: &Entry) -> Result<Page, Failure> {
    let mut page = Page::new();
    let (at, _) = entry.change()?;
    page.styled(BOLD, &format!("entry {}", entry.seq)).text(": ").text(entry.kind.word()).end();
    for (name, value) in
        [("at", at.to_string()), ("hash", entry.hash.to_string()), ("prev", entry.prev.to_string())]
    {
        page.text(&format!("{name:<5} {value}")).end();
    }
    add_value(&mut page, &entry.body().unwrap_or(Value::Null), 0);
    if entry.is_erased() {
        page.text(
            "the sealed parts of this entry were erased: an empty field may have had a value",
        );
        page.end();
    }
    Ok(page)
}

/// Adds names and values. Nested values are indented.
fn add_value(page: &mut Page, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                add_field(page, name, value, depth);
            }
        }
        Value::Array(items) => {
            for value in items {
                add_field(page, "-", value, depth);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            page.spaces(depth * 2).text(&format_scalar(value)).end();
        }
    }
}

fn add_field(page: &mut Page, name: &str, value: &Value, depth: usize) {
    page.spaces(depth * 2).styled(BOLD, name);
    match value {
        Value::Object(fields) if fields.is_empty() => page.text(" {}").end(),
        Value::Array(items) if items.is_empty() => page.text(" []").end(),
        Value::Object(_) | Value::Array(_) => {
            page.end();
            add_value(page, value, depth + 1);
            page
        }
        Value::String(text) if text.contains('\n') || text.chars().count() > BLOCK_LINE_CHARS => {
            page.end();
            add_block(page, text, depth + 1);
            page
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let readable = format_instant(name, value).or_else(|| format_session(name, value));
            let text = readable.unwrap_or_else(|| format_scalar(value));
            page.text(" ").text(&text).end()
        }
    };
}

/// Characters in one line of a long text: a longer line would be cut.
const BLOCK_LINE_CHARS: usize = 200;

/// Adds every line of a text behind a bar. A line that is too long goes on behind `>`.
fn add_block(page: &mut Page, text: &str, depth: usize) {
    for line in text.split('\n') {
        let characters: Vec<char> = line.chars().collect();
        let mut bar = "| ";
        for piece in characters.chunks(BLOCK_LINE_CHARS) {
            let piece: String = piece.iter().collect();
            page.spaces(depth * 2).text(bar).text(&piece).end();
            bar = "> ";
        }
        if characters.is_empty() {
            page.spaces(depth * 2).text("|").end();
        }
    }
}

/// Instants are stored in microseconds, which nobody reads.
fn format_instant(name: &str, value: &Value) -> Option<String> {
    let is_instant = name == "at" || name.ends_with("_at") || name.ends_with("_until");
    let micros = value.as_i64().filter(|_| is_instant)?;
    Some(Time::from_micros(micros).to_string())
}

/// A session is stored by a key of agent and name; people write `AGENT/NAME`.
fn format_session(name: &str, value: &Value) -> Option<String> {
    let key = value.as_str().filter(|_| matches!(name, "session" | "made_in"))?;
    let session = SessionKey::parse(key).ok()?;
    Some(format_scalar(&Value::String(session.qualified_name())))
}

/// Strings are printed without quotes, except blank ones.
fn format_scalar(value: &Value) -> String {
    match value {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        Value::String(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => value.to_string(),
    }
}
