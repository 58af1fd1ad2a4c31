//! Reading case files: strictly, with every problem at once and a place for each.
//!
//! A misspelt key, an unknown step or a name never given fails the case; nothing is skipped.

mod build;
mod forms;
mod names;

use crate::case::{Case, Step};
use crate::spec::{ALSO_PLAIN, EVERYWHERE, Form, STEPS, StepSpec, TOP};
use countersign_core::model::time::Time;
use countersign_graph::node::MapEntry;
use countersign_graph::problem::LineColumn;
use countersign_graph::{Format, Node, NodeValue, Problem, Problems, node};
use std::collections::BTreeMap;

/// The instant at which a story starts unless it says otherwise.
const STARTS: &str = "2026-01-05T09:00:00Z";

pub fn read(name: &str, bytes: &[u8]) -> Result<Case, Problems> {
    let fail = |problems| Problems::new(name, bytes, problems);
    let root = node::parse(bytes, Format::Yaml).map_err(fail)?;
    let mut case = case(&root).map_err(fail)?;
    let text = String::from_utf8_lossy(bytes);
    let line = |step: &Step| (step.number, LineColumn::from_offset(&text, step.place.start).line);
    case.lines = case.steps.iter().map(line).collect();
    Ok(case)
}

fn case(root: &Node) -> Result<Case, Vec<Problem>> {
    let Some(entries) = root.entries() else {
        let help = "start with `story:` and `steps:`";
        return Err(vec![Problem::new(root.span, "a case is a map of keys", help)]);
    };
    let mut problems = Vec::new();
    for entry in entries.iter().filter(|entry| entry.key.name != "steps") {
        match form_of(TOP, &entry.key.name) {
            Some(form) => problems.extend(forms::check(form, &entry.value)),
            None => {
                problems.push(unknown_key(entry, TOP.iter().map(|(key, _)| *key).chain(["steps"])))
            }
        }
    }
    for required in ["story", "steps"] {
        if root.get(required).is_none() {
            let message = format!("the case has no `{required}`");
            problems.push(Problem::new(root.span, message, format!("add `{required}:`")));
        }
    }
    let starts = starts(root, &mut problems);
    let steps = steps(root, &mut problems);
    problems.extend(names::check(&steps));
    if !problems.is_empty() {
        return Err(problems);
    }
    let text = |key: &str| root.get(key).and_then(forms::text);
    Ok(Case {
        story: text("story").unwrap_or_default(),
        seed: text("seed"),
        graph: root.get("graph").cloned(),
        starts,
        steps,
        lines: BTreeMap::new(),
    })
}

fn starts(root: &Node, problems: &mut Vec<Problem>) -> Time {
    let default = Time::parse(STARTS).unwrap_or(Time::from_micros(0));
    let Some(node) = root.get("starts") else { return default };
    let read = forms::text(node).and_then(|text| Time::parse(&text));
    read.unwrap_or_else(|| {
        let help = "write it as `2026-01-05T09:00:00Z`";
        problems.push(Problem::new(node.span, "`starts` is not an instant", help));
        default
    })
}

fn steps(root: &Node, problems: &mut Vec<Problem>) -> Vec<Step> {
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
    for (at, node) in items.iter().enumerate() {
        match step(at + 1, node) {
            Ok(step) => steps.push(step),
            Err(more) => problems.extend(more),
        }
    }
    steps
}

fn step(number: usize, node: &Node) -> Result<Step, Vec<Problem>> {
    let Some(entries) = node.entries() else {
        let help = "write it as `- call: email.send`";
        return Err(vec![Problem::new(node.span, "a step is a map of keys", help)]);
    };
    let spec = spec_of(node, entries).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    for entry in entries {
        let key = entry.key.name.as_str();
        let form = if key == spec.key {
            Some(spec.takes)
        } else {
            form_of(spec.keys, key).or_else(|| form_of(EVERYWHERE, key))
        };
        match form {
            Some(form) => problems.extend(forms::check(form, &entry.value)),
            None => problems.push(unknown_key(entry, known_keys(spec))),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    build::step(number, node, spec.key)
}

/// The one key that says what the step does.
fn spec_of(node: &Node, entries: &[MapEntry]) -> Result<&'static StepSpec, Problem> {
    let found: Vec<&StepSpec> = STEPS
        .iter()
        .filter(|spec| entries.iter().any(|entry| entry.key.name == spec.key))
        .collect();
    let own: Vec<&&StepSpec> =
        found.iter().filter(|spec| !ALSO_PLAIN.contains(&spec.key)).collect();
    match (own.as_slice(), found.as_slice()) {
        ([spec], _) => Ok(spec),
        ([], [spec]) => Ok(spec),
        ([], _) => {
            let guess =
                entries.iter().find_map(|e| suggestion(&e.key.name, STEPS.iter().map(|s| s.key)));
            let help = guess.map_or_else(
                || format!("a step has one of: {}", list(STEPS.iter().map(|spec| spec.key))),
                |guess| format!("did you mean `{guess}`?"),
            );
            Err(Problem::new(node.span, "this step does nothing that is known", help))
        }
        (several, _) => {
            let message = format!("this step does {} things at once", several.len());
            let help = format!("keep one of: {}", list(several.iter().map(|spec| spec.key)));
            Err(Problem::new(node.span, message, help))
        }
    }
}

fn known_keys(spec: &StepSpec) -> impl Iterator<Item = &'static str> {
    let keys = spec.keys.iter().chain(EVERYWHERE).map(|(key, _)| *key);
    std::iter::once(spec.key).chain(keys)
}

fn form_of(keys: &[(&str, Form)], key: &str) -> Option<Form> {
    keys.iter().find(|(known, _)| *known == key).map(|(_, form)| *form)
}

fn unknown_key(entry: &MapEntry, known: impl Iterator<Item = &'static str>) -> Problem {
    let known: Vec<_> = known.collect();
    let message = format!("unknown key `{}`", entry.key.name);
    let help = suggestion(&entry.key.name, known.iter().copied()).map_or_else(
        || format!("known here: {}", list(known.iter().copied())),
        |guess| format!("did you mean `{guess}`?"),
    );
    Problem::new(entry.key.span, message, help)
}

fn suggestion(given: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    known
        .map(|word| (strsim::damerau_levenshtein(given, word), word))
        .filter(|(distance, word)| *distance <= (word.len() / 3).max(1))
        .min()
        .map(|(_, word)| word)
}

fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
