//! The parts of a support packet that come from the record, and what is hidden in all of its parts.
//!
//! An entry is exported without its sealed part, which has the arguments, targets, command lines and
//! words of people. What is left is redacted once more, like everything else in the packet.
//!
//! See docs/decisions/0112-reviews-and-support-packets.md.

use crate::entries::for_each_entry;
use countersign_console::Failure;
use countersign_core::encoding::json;
use countersign_core::model::change::Change;
use countersign_engine::StoreReader;
use countersign_redact::Redactor;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Which entries of the ledger a packet has.
#[derive(Clone, Copy, Debug)]
pub enum PacketEntries<'a> {
    Last(usize),
    /// Those about the object with this id.
    About(&'a str),
}

/// The chosen entries, the oldest first.
pub fn collect_packet_entries(
    record: &dyn StoreReader,
    chosen: PacketEntries<'_>,
) -> Result<Vec<Value>, Failure> {
    let mut kept = VecDeque::new();
    for_each_entry(record, |parsed| {
        let is_chosen = match chosen {
            PacketEntries::Last(_) => true,
            PacketEntries::About(id) => parsed.entry.bytes.contains(id),
        };
        if !is_chosen {
            return Ok(());
        }
        let mut body = json::parse(parsed.entry.bytes.as_bytes()).unwrap_or(Value::Null);
        // The packet has the graph apart, without its contacts.
        if let (Change::GraphLoaded { .. }, Some(source)) =
            (&parsed.change, body.pointer_mut("/body/source"))
        {
            *source = Value::Null;
        }
        kept.push_back(json!({"entry": parsed.entry.seq, "kind": parsed.entry.kind, "body": body}));
        if let PacketEntries::Last(most) = chosen
            && kept.len() > most
        {
            kept.pop_front();
        }
        Ok(())
    })?;
    Ok(kept.into())
}

/// Hides secrets in all texts of a packet, and writes the home folder as `~`.
pub fn redact_packet(packet: &mut Value, home: Option<&str>) {
    Redactor::new(|_: &str| "packet".to_owned()).redact_value(packet);
    if let Some(home) = home.filter(|home| home.len() > 1) {
        shorten_home(packet, home);
    }
}

fn shorten_home(value: &mut Value, home: &str) {
    match value {
        Value::String(text) => *text = text.replace(home, "~"),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_home(item, home)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten_home(field, home)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_the_home_folder_are_hidden_in_every_part() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let mut packet = json!({
            "settings": [{"value": "/home/ann/.local"}], "graph": {"api_key": token},
            "entries": [{"body": {"text": format!("push with {token}")}}],
        });
        redact_packet(&mut packet, Some("/home/ann"));
        let text = packet.to_string();
        assert!(!text.contains(token) && !text.contains("/home/ann"), "{text}");
        assert!(text.contains("~/.local"), "{text}");
    }
}
