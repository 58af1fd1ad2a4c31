//! Parses case files strictly and reports all problems at once, each with its position.
//!
//! A misspelt key, an unknown step or an undefined name fails the case. Nothing is skipped.

mod build;
mod forms;
mod names;

use crate::case::{Case, CaseStep, PolicyText};
use crate::spec::{
    CASE_KEYS, COMMON_STEP_KEYS, Form, STEP_KEYS_USED_INSIDE_OTHERS, STEPS, StepSpec,
};
use countersign_core::model::time::Time;
use countersign_graph::node::MapEntry;
use countersign_graph::problem::LineColumn;
use countersign_graph::{DocumentNode, Format, NodeValue, Problem, Problems, node};
use std::collections::BTreeMap;

/// The time at which a story starts if it has no `starts` key.
const DEFAULT_START: &str = "2026-01-05T09:00:00Z";

pub fn parse_case(name: &str, bytes: &[u8]) -> Result<Case, Problems> {
    let fail = |problems| Problems::new(name, bytes, problems);
    let root = node::parse(bytes, Format::Yaml).map_err(fail)?;
    let mut case = build_case(&root).map_err(fail)?;
    let text = String::from_utf8_lossy(bytes);
    let line =
        |step: &CaseStep| (step.number, LineColumn::from_offset(&text, step.span.start).line);
    case.step_lines = case.steps.iter().map(line).collect();
    Ok(case)
}

fn build_case(root: &DocumentNode) -> Result<Case, Vec<Problem>> {
    let Some(entries) = root.entries() else {
        let help = "start with `story:` and `steps:`";
        return Err(vec![Problem::new(root.span, "a case is a map of keys", help)]);
    };
    let mut problems = Vec::new();
    for entry in entries.iter().filter(|entry| entry.key.name != "steps") {
        match find_form(CASE_KEYS, &entry.key.name) {
            Some(form) => problems.extend(forms::check_form(form, &entry.value)),
            None => problems.push(unknown_key_problem(
                entry,
                CASE_KEYS.iter().map(|(key, _)| *key).chain(["steps"]),
            )),
        }
    }
    for required in ["story", "steps"] {
        if root.get(required).is_none() {
            let message = format!("the case has no `{required}`");
            problems.push(Problem::new(root.span, message, format!("add `{required}:`")));
        }
    }
    let policies = parse_policies(root, &mut problems);
    let starts_at = parse_start(root, &mut problems);
    let steps = parse_steps(root, &mut problems);
    problems.extend(names::check_names(&steps));
    if !problems.is_empty() {
        return Err(problems);
    }
    let text = |key: &str| root.get(key).and_then(forms::read_text);
    Ok(Case {
        story: text("story").unwrap_or_default(),
        graph: root.get("graph").cloned(),
        policies,
        starts_at,
        files: root.get("files").and_then(forms::read_texts).unwrap_or_default(),
        steps,
        step_lines: BTreeMap::new(),
    })
}

/// The policies stand for the folder that the graph of the case names as its `rules`.
fn parse_policies(root: &DocumentNode, problems: &mut Vec<Problem>) -> Option<PolicyText> {
    let node = root.get("policies")?;
    if root.get("graph").and_then(|graph| graph.get("rules")).is_none() {
        let message = "the graph of this case names no `rules`, so the policies would not count";
        problems.push(Problem::new(node.span, message, "add `rules: policies` to its `graph`"));
    }
    forms::read_text(node).map(|text| PolicyText { text, span: node.span })
}

fn parse_start(root: &DocumentNode, problems: &mut Vec<Problem>) -> Time {
    let default = Time::parse(DEFAULT_START).unwrap_or(Time::from_micros(0));
    let Some(node) = root.get("starts") else { return default };
    let time = forms::read_text(node).and_then(|text| Time::parse(&text));
    time.unwrap_or_else(|| {
        let help = "write it as `2026-01-05T09:00:00Z`";
        problems.push(Problem::new(node.span, "`starts` is not a point in time", help));
        default
    })
}

fn parse_steps(root: &DocumentNode, problems: &mut Vec<Problem>) -> Vec<CaseStep> {
    let Some(list) = root.get("steps") else { return Vec::new() };
    let NodeValue::List(items) = &list.value else {
        problems.push(Problem::new(
            list.span,
            "`steps` is not a list",
            "begin each step with `- `",
        ));
        return Vec::new();
    };
    if items.is_empty() {
        problems.push(Problem::new(list.span, "the case has no steps", "add a step"));
    }
    let mut steps = Vec::new();
    for (number, node) in (1..).zip(items) {
        match parse_step(number, node) {
            Ok(step) => steps.push(step),
            Err(found) => problems.extend(found),
        }
    }
    steps
}

fn parse_step(number: usize, node: &DocumentNode) -> Result<CaseStep, Vec<Problem>> {
    let Some(entries) = node.entries() else {
        let help = "write it as `- call: email.send`";
        return Err(vec![Problem::new(node.span, "a step is a map of keys", help)]);
    };
    let spec = find_spec(node, entries).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    for entry in entries {
        let key = entry.key.name.as_str();
        let form = if key == spec.key {
            Some(spec.form)
        } else {
            find_form(&spec.keys, key).or_else(|| find_form(COMMON_STEP_KEYS, key))
        };
        match form {
            Some(form) => problems.extend(forms::check_form(form, &entry.value)),
            None => problems.push(unknown_key_problem(entry, known_keys(spec))),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    build::build_step(number, node, spec.key)
}

/// Finds the one step key of a step.
fn find_spec(node: &DocumentNode, entries: &[MapEntry]) -> Result<&'static StepSpec, Problem> {
    let found: Vec<&StepSpec> = STEPS
        .iter()
        .filter(|spec| entries.iter().any(|entry| entry.key.name == spec.key))
        .collect();
    let unambiguous: Vec<&&StepSpec> =
        found.iter().filter(|spec| !STEP_KEYS_USED_INSIDE_OTHERS.contains(&spec.key)).collect();
    match (unambiguous.as_slice(), found.as_slice()) {
        ([spec], _) => Ok(spec),
        ([], [spec]) => Ok(spec),
        ([], _) => {
            let guess = entries
                .iter()
                .find_map(|e| find_suggestion(&e.key.name, STEPS.iter().map(|s| s.key)));
            let help = guess.map_or_else(
                || format!("a step has one of: {}", quote_list(STEPS.iter().map(|spec| spec.key))),
                |guess| format!("did you mean `{guess}`?"),
            );
            Err(Problem::new(node.span, "this step has no known step key", help))
        }
        (several, _) => {
            let message = format!("this step has {} step keys", several.len());
            let help = format!("keep one of: {}", quote_list(several.iter().map(|spec| spec.key)));
            Err(Problem::new(node.span, message, help))
        }
    }
}

fn known_keys(spec: &StepSpec) -> impl Iterator<Item = &'static str> {
    let keys = spec.keys.iter().chain(COMMON_STEP_KEYS).map(|(key, _)| *key);
    std::iter::once(spec.key).chain(keys)
}

fn find_form(keys: &[(&str, Form)], key: &str) -> Option<Form> {
    keys.iter().find(|(known, _)| *known == key).map(|(_, form)| *form)
}

fn unknown_key_problem(entry: &MapEntry, known: impl Iterator<Item = &'static str>) -> Problem {
    let known: Vec<_> = known.collect();
    let message = format!("unknown key `{}`", entry.key.name);
    let help = find_suggestion(&entry.key.name, known.iter().copied()).map_or_else(
        || format!("valid keys: {}", quote_list(known.iter().copied())),
        |guess| format!("did you mean `{guess}`?"),
    );
    Problem::new(entry.key.span, message, help)
}

fn find_suggestion(
    unknown: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    known
        .map(|word| (strsim::damerau_levenshtein(unknown, word), word))
        .filter(|(distance, word)| *distance <= (word.len() / 3).max(1))
        .min()
        .map(|(_, word)| word)
}

fn quote_list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
