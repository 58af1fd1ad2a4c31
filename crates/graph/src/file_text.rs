//! New entries as text for the operator's file: in the braces of a map, below its key, or at the end of
//! the file.

use crate::node::{DocumentNode, Format, MapEntry};
use crate::text_edit::{Edit, line_ending};
use serde_json::json;

/// A key and its value, both as text.
pub(crate) type Pair = (String, String);

pub(crate) fn find<'n>(entries: &'n [MapEntry], key: &str) -> Option<&'n MapEntry> {
    entries.iter().find(|entry| entry.key.name == key)
}

/// A map of the root that is not there yet.
pub(crate) fn wrap_in_map(key: &str, pairs: &[Pair], format: Format) -> Pair {
    let members: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    let key = if format == Format::Json { format!("\"{key}\"") } else { key.to_owned() };
    (key, format!("{{{}}}", members.join(", ")))
}

pub(crate) fn assign_line(format: Format, key: &str, value: &str) -> String {
    match format {
        Format::Yaml => format!("{key}: {value}\n"),
        Format::Json | Format::Toml => format!("{}\n", assign(format, key, value)),
    }
}

/// At the end of the file, in its line endings.
pub(crate) fn append(text: &str, lines: &str) -> String {
    let ending = line_ending(text);
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { ending };
    let blank = if text.is_empty() { "" } else { ending };
    format!("{text}{gap}{blank}{}", lines.replace('\n', ending))
}

pub(crate) fn is_in_braces(text: &str, map: &DocumentNode) -> bool {
    text.get(map.span.start..).is_some_and(|rest| rest.starts_with('{'))
}

pub(crate) fn insert_pairs(
    text: &str,
    format: Format,
    map: &MapEntry,
    pairs: &[Pair],
) -> Option<Edit> {
    if is_in_braces(text, &map.value) {
        return insert_in_braces(text, format, &map.value, pairs);
    }
    insert_below_key(text, map, pairs)
}

/// Before the first entry, with the same whitespace.
pub(crate) fn insert_in_braces(
    text: &str,
    format: Format,
    map: &DocumentNode,
    pairs: &[Pair],
) -> Option<Edit> {
    let after_brace = map.span.start + 1;
    let first = map.entries()?.first();
    let at = first.map_or(after_brace, |first| first.key.span.start);
    let gap = text.get(after_brace..at)?;
    let gap = if gap.contains('\n') && gap.trim().is_empty() { gap } else { " " };
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    let separator = format!(",{gap}");
    let joined = pairs.join(&separator);
    let end = if first.is_some() { separator.as_str() } else { "" };
    let is_known = matches!(format, Format::Json | Format::Yaml);
    is_known.then(|| Edit::insert(at, format!("{joined}{end}")))
}

/// On the lines after the key of a YAML map: what stands above its first entry may belong to that.
pub(crate) fn insert_below_key(text: &str, map: &MapEntry, pairs: &[Pair]) -> Option<Edit> {
    let first = map.value.entries()?.first()?;
    let behind = text.get(map.key.span.end..)?;
    let (line, _) = behind.split_once('\n')?;
    let after_colon = line.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim();
    if !(after_colon.is_empty() || after_colon.starts_with('#')) {
        return None;
    }
    let at = map.key.span.end + line.len() + 1;
    let before = text.get(..first.key.span.start)?;
    let indent = before.get(before.rfind('\n')? + 1..)?;
    // A quote may belong to the key.
    let indent = indent.trim_end_matches(['"', '\'']);
    if !indent.trim().is_empty() {
        return None;
    }
    let ending = line_ending(text);
    let lines = pairs.iter().map(|(key, value)| format!("{indent}{key}: {value}{ending}"));
    Some(Edit::insert(at, lines.collect()))
}

pub(crate) fn assign(format: Format, key: &str, value: &str) -> String {
    match format {
        Format::Json => format!("{}: {value}", json!(key)),
        Format::Toml => format!("{key} = {value}"),
        Format::Yaml => format!("{key}: {value}"),
    }
}

pub(crate) fn write_name(format: Format, name: &str) -> String {
    match format {
        Format::Json | Format::Toml => json!(name).to_string(),
        Format::Yaml => write_plain(name),
    }
}

/// Without quotes if YAML cannot take it for anything but a text.
pub(crate) fn write_plain(name: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_text = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_plain)
        && !WORDS.contains(&name.to_ascii_lowercase().as_str());
    if is_text { name.to_owned() } else { json!(name).to_string() }
}
