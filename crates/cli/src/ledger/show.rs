//! `ledger show`: one entry, readable or as it was hashed.

use super::Seen;
use super::entries::pages;
use super::line::exact;
use crate::args::LedgerShowArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use countersign_core::ledger::Entry;
use countersign_core::ledger::about::Whose;
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use serde_json::Value;

pub(super) fn show(args: &LedgerShowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let record = args.record.to_read(settings)?;
    let found = record.read_entries(args.seq, 1)?;
    let Some(entry) = found.into_iter().next().filter(|entry| entry.seq == args.seq) else {
        return Err(none(&*record, args.seq)?);
    };
    if args.json {
        out::show_json(&exact(&entry))?;
    } else {
        out::show(&page(&Seen::of(entry, &mut Whose::default())?))?;
    }
    Ok(Exit::Allowed)
}

fn none(record: &dyn StoreReader, seq: u64) -> Result<Failure, Failure> {
    let mut last = 0;
    pages(record, seq..=u64::MAX, |entry: Entry| {
        last = entry.seq;
        Ok(())
    })?;
    let help = if last > seq {
        "an entry is missing: run `countersign ledger verify`".to_owned()
    } else {
        "`countersign ledger query --last 1` shows the last one".to_owned()
    };
    Ok(Failure::usage(format!("the ledger has no entry {seq}"), help))
}

fn page(seen: &Seen) -> Page {
    let mut page = Page::new();
    let Seen { entry, at, .. } = seen;
    page.styled(BOLD, &format!("entry {}", entry.seq)).text(": ").text(entry.kind.word()).end();
    for (name, value) in
        [("at", at.to_string()), ("hash", entry.hash.to_string()), ("prev", entry.prev.to_string())]
    {
        page.text(&format!("{name:<5} {value}")).end();
    }
    draw(&mut page, &entry.body().unwrap_or(Value::Null), 0);
    if entry.is_erased() {
        page.text("what it kept apart was erased: what is empty here may not have been").end();
    }
    page
}

/// Names and values, what is inside further to the right.
fn draw(page: &mut Page, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                head(page, name, value, depth);
            }
        }
        Value::Array(items) => {
            for value in items {
                head(page, "-", value, depth);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            page.spaces(depth * 2).text(&text(value)).end();
        }
    }
}

fn head(page: &mut Page, name: &str, value: &Value, depth: usize) {
    page.spaces(depth * 2).styled(BOLD, name);
    match value {
        Value::Object(fields) if fields.is_empty() => page.text(" {}").end(),
        Value::Array(items) if items.is_empty() => page.text(" []").end(),
        Value::Object(_) | Value::Array(_) => {
            page.end();
            draw(page, value, depth + 1);
            page
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            page.text(" ").text(&instant(name, value).unwrap_or_else(|| text(value))).end()
        }
    };
}

/// Instants are stored in microseconds, which nobody reads.
fn instant(name: &str, value: &Value) -> Option<String> {
    let is_instant = name == "at" || name.ends_with("_at") || name.ends_with("_until");
    let micros = value.as_i64().filter(|_| is_instant)?;
    Some(Time::from_micros(micros).to_string())
}

/// Texts without quotes, unless they would look like nothing.
fn text(value: &Value) -> String {
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
