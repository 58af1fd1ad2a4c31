//! Where the rules go: in the braces of a map, below its key, or at the end of the file.

use super::ToolRules;
use super::rule_text::{Pair, assign, domain_pair, tool_pairs, write_tables};
use crate::node::{DocumentNode, Format, MapEntry};
use crate::text_edit::{Edit, apply_edits, line_ending};

/// None if there is no place for them.
pub(super) fn insert(
    text: &str,
    format: Format,
    root: &DocumentNode,
    rules: &ToolRules,
) -> Option<String> {
    let entries = root.entries()?;
    let has_domains = root.get("domains").is_some();
    if format == Format::Toml {
        let above = if has_domains || entries.is_empty() { "domains." } else { "" };
        return Some(append(text, &write_tables(above, rules)));
    }
    let (domain, tools) = (domain_pair(format, rules), tool_pairs(format, rules));
    let mut edits = Vec::new();
    let mut missing: Vec<Pair> = Vec::new();
    match find(entries, "domains") {
        Some(domains) => edits.push(insert_pairs(text, format, domains, &[domain])?),
        None if entries.is_empty() => missing.push(wrap_in_map("domains", &[domain], format)),
        None => missing.push(domain),
    }
    match find(entries, "tools") {
        Some(mapped) => edits.push(insert_pairs(text, format, mapped, &tools)?),
        None => missing.push(wrap_in_map("tools", &tools, format)),
    }
    if missing.is_empty() {
        return Some(apply_edits(text, edits));
    }
    if is_in_braces(text, root) {
        edits.push(insert_in_braces(text, format, root, &missing)?);
        return Some(apply_edits(text, edits));
    }
    let lines: String =
        missing.iter().map(|(key, value)| assign_line(format, key, value)).collect();
    Some(append(&apply_edits(text, edits), &lines))
}

fn find<'n>(entries: &'n [MapEntry], key: &str) -> Option<&'n MapEntry> {
    entries.iter().find(|entry| entry.key.name == key)
}

/// A map of the root that is not there yet.
fn wrap_in_map(key: &str, pairs: &[Pair], format: Format) -> Pair {
    let members: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    let key = if format == Format::Json { format!("\"{key}\"") } else { key.to_owned() };
    (key, format!("{{{}}}", members.join(", ")))
}

fn assign_line(format: Format, key: &str, value: &str) -> String {
    match format {
        Format::Yaml => format!("{key}: {value}\n"),
        Format::Json | Format::Toml => format!("{}\n", assign(format, key, value)),
    }
}

/// At the end of the file, in its line endings.
fn append(text: &str, lines: &str) -> String {
    let ending = line_ending(text);
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { ending };
    let blank = if text.is_empty() { "" } else { ending };
    format!("{text}{gap}{blank}{}", lines.replace('\n', ending))
}

fn is_in_braces(text: &str, map: &DocumentNode) -> bool {
    text.get(map.span.start..).is_some_and(|rest| rest.starts_with('{'))
}

fn insert_pairs(text: &str, format: Format, map: &MapEntry, pairs: &[Pair]) -> Option<Edit> {
    if is_in_braces(text, &map.value) {
        return insert_in_braces(text, format, &map.value, pairs);
    }
    insert_below_key(text, map, pairs)
}

/// Before the first entry, with the same whitespace.
fn insert_in_braces(
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
fn insert_below_key(text: &str, map: &MapEntry, pairs: &[Pair]) -> Option<Edit> {
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
