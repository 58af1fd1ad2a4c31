//! Claude Code: `permissions.allow`, `ask` and `deny` of its settings.

use super::{ForeignEffect, ForeignRules};
use crate::install::parse_settings;
use serde_json::Value;

pub(super) fn read(text: &str, rules: &mut ForeignRules) {
    let Some(settings) = parse_settings(text) else { return };
    let lists = [
        ("deny", ForeignEffect::Deny),
        ("ask", ForeignEffect::Ask),
        ("allow", ForeignEffect::Allow),
    ];
    for (key, effect) in lists {
        let list = settings.pointer(&format!("/permissions/{key}")).and_then(Value::as_array);
        for rule in list.into_iter().flatten().filter_map(Value::as_str) {
            convert(effect, rule, rules);
        }
    }
}

fn convert(effect: ForeignEffect, rule: &str, rules: &mut ForeignRules) {
    let (tool, inner) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')')),
        None => (rule, None),
    };
    match (tool, inner, effect) {
        ("Bash", Some(line), _) => convert_command(effect, rule, line, rules),
        ("Bash", None, _) => rules.skip(rule, "it covers every command line"),
        ("Read" | "Edit" | "Write", Some(path), ForeignEffect::Deny) => {
            convert_path(rule, path, rules);
        }
        ("Read" | "Edit" | "Write", _, _) => {
            rules.skip(rule, "the actions of `files` decide about files");
        }
        ("WebFetch" | "WebSearch", _, _) => {
            rules.skip(rule, "a host is allowed by your answer, or by a policy");
        }
        (tool, _, _) if tool.starts_with("mcp__") => {
            rules.skip(rule, "give the tool an action below `tools`, and list that action");
        }
        (_, _, _) => rules.skip(rule, "the action of the tool decides"),
    }
}

/// `git diff:*` and `git diff *` stand for every line that starts with these words.
fn convert_command(effect: ForeignEffect, rule: &str, line: &str, rules: &mut ForeignRules) {
    let start = line.strip_suffix(":*").or_else(|| line.strip_suffix(" *"));
    let words = start.unwrap_or(line).trim();
    if words.is_empty() || words == "*" {
        return rules.skip(rule, "it covers every command line");
    }
    // A shell would do something with these, or the pattern stands for other words.
    if words.contains(|c: char| "*?[]{}$`\\;|&<>()!#\"'~".contains(c)) {
        return rules.skip(rule, "a command rule has only plain words and a `*` at its end");
    }
    let end = if start.is_some() { " *" } else { "" };
    rules.add(effect, rule, format!("{words}{end}"));
}

/// The path rule holds for command lines. The tools for files have no list of paths.
fn convert_path(rule: &str, path: &str, rules: &mut ForeignRules) {
    let folder = path.strip_suffix("/**").or_else(|| path.strip_suffix("/*")).unwrap_or(path);
    let place = match (folder.strip_prefix("//"), folder.strip_prefix('/')) {
        (Some(absolute), _) => Some(format!("/{absolute}")),
        // It starts in the folder of the settings file, which is no place of a workspace.
        (None, Some(_)) => None,
        (None, None) if folder.starts_with("~/") || folder.starts_with("./") => {
            Some(folder.to_owned())
        }
        (None, None) => Some(format!("./{folder}")),
    };
    let is_plain = |place: &String| !place.contains(|c: char| "*?[]{}\"'\\ ".contains(c));
    match place.filter(is_plain) {
        Some(place) => {
            rules.add(ForeignEffect::Deny, rule, format!("path {place}"));
            rules.skip(rule, "imported for command lines only; for file tools, write a policy");
        }
        None => rules.skip(rule, "write a policy for files that match a pattern"),
    }
}
