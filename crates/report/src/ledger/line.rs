//! One entry in one line, as text or as JSON.

use crate::entries::ParsedEntry;
use crate::entry_text::describe_entry;
use countersign_console::{BOLD, CYAN, DIM, Failure, Page, out};
use countersign_core::encoding::json::deserialize_value;
use countersign_core::model::names::SessionKey;
use countersign_ledger::Entry;
use serde_json::{Value, json};

/// Column widths, so that lines stay aligned while entries come in.
const SEQ: usize = 6;
const KIND: usize = 18;
const SESSION: usize = 12;

#[derive(Clone, Copy)]
pub(super) enum EntryFormat {
    Text,
    Json,
}

impl EntryFormat {
    pub(super) fn print(self, entry: &ParsedEntry) -> Result<(), Failure> {
        match self {
            Self::Text => out::show(&entry_line(entry)),
            Self::Json => out::show_json(&entry_json(entry)),
        }
    }
}

fn entry_line(parsed: &ParsedEntry) -> Page {
    let mut page = Page::new();
    let ParsedEntry { entry, at, about, .. } = parsed;
    let text = describe_entry(parsed);
    let session = about.session.as_ref().map_or("-", |session| session.name());
    page.styled(DIM, &format!("{:>SEQ$}", entry.seq)).text("  ").text(&at.to_string()).text("  ");
    page.styled(CYAN, &format!("{:<KIND$}", entry.kind.word())).text("  ");
    page.styled(BOLD, &format!("{session:<SESSION$}")).text("  ").text(&text.sentence);
    if !text.ids.is_empty() {
        page.text(" ").styled(DIM, &text.id_list());
    }
    page.end();
    page
}

pub(crate) fn entry_json(parsed: &ParsedEntry) -> Value {
    let ParsedEntry { entry, at, about, .. } = parsed;
    let ids: Vec<String> = about.ids.iter().map(ToString::to_string).collect();
    let mut reader = serde_json::Deserializer::from_str(&entry.bytes);
    let content = deserialize_value(&mut reader).unwrap_or(Value::Null);
    json!({
        "seq": entry.seq,
        "at": at.to_string(),
        "kind": entry.kind,
        "session": about.session.as_ref().map(SessionKey::name),
        "agent": about.agent,
        "ids": ids,
        "hash": entry.hash,
        "entry": content,
    })
}

/// The bytes as they were hashed, with the hash.
pub(super) fn export_json(entry: &Entry) -> Value {
    json!({"seq": entry.seq, "hash": entry.hash, "entry": entry.bytes})
}
