//! One entry in one line, for people and for programs.

use super::Seen;
use crate::entry_text::describe_entry;
use crate::page::{BOLD, CYAN, DIM, Page};
use countersign_core::ledger::Entry;
use serde_json::{Value, json};

/// Columns for what has a known width, so that lines stand below each other while they come in.
const SEQ: usize = 6;
const KIND: usize = 18;
const SESSION: usize = 12;

pub(super) fn line(seen: &Seen) -> Page {
    let mut page = Page::new();
    let Seen { entry, at, about, .. } = seen;
    let text = describe_entry(seen);
    let session = about.session.as_ref().map_or("-", |session| session.as_str());
    page.styled(DIM, &format!("{:>SEQ$}", entry.seq)).text("  ").text(&at.to_string()).text("  ");
    page.styled(CYAN, &format!("{:<KIND$}", entry.kind.word())).text("  ");
    page.styled(BOLD, &format!("{session:<SESSION$}")).text("  ").text(&text.sentence);
    if !text.ids.is_empty() {
        page.text(" ").styled(DIM, &text.id_list());
    }
    page.end();
    page
}

pub(crate) fn json_line(seen: &Seen) -> Value {
    let Seen { entry, at, about, .. } = seen;
    let ids: Vec<String> = about.ids.iter().map(ToString::to_string).collect();
    json!({
        "seq": entry.seq,
        "at": at.to_string(),
        "kind": entry.kind,
        "session": about.session,
        "agent": about.agent,
        "ids": ids,
        "hash": entry.hash,
        "entry": form(entry),
    })
}

/// What was hashed, as JSON again.
pub(super) fn form(entry: &Entry) -> Value {
    serde_json::from_str(&entry.bytes).unwrap_or(Value::Null)
}

/// As it was hashed, byte for byte, with the hash.
pub(super) fn exact(entry: &Entry) -> Value {
    json!({"seq": entry.seq, "hash": entry.hash, "entry": entry.bytes})
}
