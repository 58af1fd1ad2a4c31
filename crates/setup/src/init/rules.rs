//! The rules that the programs have of their own: shown, and put into a new graph after a yes.

use crate::files::read_if_present;
use crate::installed::FoundProgram;
use crate::starter::Starter;
use countersign_commands::{RuleEffect, parse_body};
use countersign_console::{BOLD, Page};
use countersign_graph::{Format, load_graph};
use countersign_harness::{ForeignRules, Program, SkippedRule};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

const IN_A_CLASS: &str = "the graph has an action for it already";

/// The rules of all programs, as far as their files can be read.
pub(super) fn read_rules(found: &[FoundProgram]) -> ForeignRules {
    let mut rules = ForeignRules::default();
    for one in found {
        for path in rule_files(one) {
            let Ok(Some(bytes)) = read_if_present(&path) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            rules.extend(ForeignRules::read(one.program, &text));
        }
    }
    check_rules(rules)
}

fn rule_files(found: &FoundProgram) -> Vec<PathBuf> {
    match found.program {
        Program::ClaudeCode => vec![found.folder.join("settings.json")],
        Program::Codex => {
            let entries = fs::read_dir(found.folder.join("rules")).into_iter().flatten();
            let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
            let mut paths: Vec<PathBuf> =
                paths.filter(|path| path.extension().is_some_and(|end| end == "rules")).collect();
            paths.sort();
            paths
        }
    }
}

/// Skips what is no command rule, and what the coding graph names as an action already.
fn check_rules(mut rules: ForeignRules) -> ForeignRules {
    let mut skipped = Vec::new();
    let lists = [(RuleEffect::Allow, &mut rules.allow), (RuleEffect::Deny, &mut rules.deny)];
    for (effect, list) in lists {
        list.retain(|rule| {
            let why = match parse_body(effect, rule) {
                Err(_) => "the graph cannot express it",
                Ok(_) if effect == RuleEffect::Allow && is_in_a_class(rule) => IN_A_CLASS,
                Ok(_) => return true,
            };
            skipped.push(SkippedRule { rule: rule.clone(), why });
            false
        });
    }
    rules.skipped.extend(skipped);
    rules
}

fn is_in_a_class(rule: &str) -> bool {
    find_in_classes(Starter::Coding.text(), rule).is_some()
}

/// Where a rule stands in the lists of classes of the coding graph, with the comma behind it.
fn find_in_classes(text: &str, rule: &str) -> Option<std::ops::Range<usize>> {
    let classes = text.find("\n  classes:\n")?;
    let mut from = classes;
    while let Some(at) = text.get(from..)?.find(rule).map(|at| at + from) {
        let end = at + rule.len();
        let is_start = text.get(..at)?.ends_with([' ', '[']);
        let rest = text.get(end..)?;
        if is_start && rest.starts_with(',') {
            return Some(at..end + 1);
        }
        if is_start && rest.trim_start().starts_with(']') {
            return Some(at..end);
        }
        from = end;
    }
    None
}

/// The graph with the rules in it. None if it would not load.
pub(super) fn insert_rules(text: &str, rules: &ForeignRules) -> Option<String> {
    let mut text = text.to_owned();
    for rule in &rules.deny {
        // A rule stands in one list only, and a denial wins.
        while let Some(range) = find_in_classes(&text, rule) {
            text.replace_range(range, "");
        }
    }
    let mut lists = String::new();
    for (key, list) in [("deny", &rules.deny), ("allow", &rules.allow)] {
        if !list.is_empty() {
            lists.push_str(&format!("  # Imported by `countersign init`.\n  {key}:\n"));
            list.iter().for_each(|rule| lists.push_str(&format!("    - {}\n", json!(rule))));
        }
    }
    let text = text.replacen("\ncommands:\n", &format!("\ncommands:\n{lists}"), 1);
    load_graph("countersign.yaml", text.as_bytes(), Format::Yaml).is_ok().then_some(text)
}

/// `purpose` says what the operator can do with the rules.
pub(super) fn draw(rules: &ForeignRules, purpose: &str) -> Page {
    let mut page = Page::new();
    if rules.is_empty() {
        return page;
    }
    let lists = [("deny", &rules.deny), ("allow", &rules.allow)];
    if lists.iter().any(|(_, list)| !list.is_empty()) {
        page.styled(BOLD, "rules of your programs").text(purpose).end();
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            page.text(&format!("  {key}:")).end();
            for rule in list {
                page.text(&format!("    - {}", json!(rule))).end();
            }
        }
    }
    if !rules.skipped.is_empty() {
        page.styled(BOLD, "rules that a graph does not express").text(":").end();
        for SkippedRule { rule, why } in &rules.skipped {
            page.text(&format!("  {rule}: {why}")).end();
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starter::CodingPreset;
    use countersign_core::model::time::Time;

    fn rules(allow: &[&str], deny: &[&str]) -> ForeignRules {
        let owned = |list: &[&str]| list.iter().map(|rule| (*rule).to_owned()).collect();
        check_rules(ForeignRules { allow: owned(allow), deny: owned(deny), skipped: Vec::new() })
    }

    fn graph_text() -> String {
        let today = Time::parse("2031-02-03T04:05:06Z").unwrap().date();
        CodingPreset::Balanced.graph_text(today).unwrap()
    }

    #[test]
    fn imported_rules_are_in_the_graph_and_it_loads() {
        let rules =
            rules(&["my-tool run *"], &["git push *", "terraform destroy *", "path ./secrets"]);
        let text = insert_rules(&graph_text(), &rules).unwrap();
        assert!(text.contains("  deny:\n    - \"git push *\"\n"), "{text}");
        assert!(text.contains("  allow:\n    - \"my-tool run *\"\n"));
        assert_eq!(find_in_classes(&text, "git push *"), None);
        assert_eq!(find_in_classes(&text, "terraform destroy *"), None);
    }

    #[test]
    fn an_allowed_command_that_has_an_action_keeps_it() {
        let rules = rules(&["git diff *", "cargo publish *", "allow x"], &[]);
        assert_eq!(rules.allow, Vec::<String>::new());
        let why: Vec<&str> = rules.skipped.iter().map(|skipped| skipped.why).collect();
        assert_eq!(why, [IN_A_CLASS, IN_A_CLASS, "the graph cannot express it"]);
    }
}
