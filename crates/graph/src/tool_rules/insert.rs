//! Where the rules go: in the braces of a map, below its key, or at the end of the file.

use super::ToolRules;
use super::rule_text::{domain_pair, tool_pairs, write_tables};
use crate::file_text::{
    Pair, append, assign_line, find, insert_in_braces, insert_pairs, is_in_braces, wrap_in_map,
};
use crate::node::{DocumentNode, Format};
use crate::text_edit::apply_edits;

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
