//! The case format as a table: the steps, their keys, and the form of each key's value.
//!
//! The parser and the JSON Schema both use this table, so they cannot disagree.

mod form;

pub(crate) use form::{Form, WordList};
use std::sync::LazyLock;

pub(crate) struct StepSpec {
    pub key: &'static str,
    pub description: &'static str,
    pub form: Form,
    pub keys: Vec<(&'static str, Form)>,
}

/// Keys that every step may have.
pub(crate) const COMMON_STEP_KEYS: &[(&str, Form)] =
    &[("session", Form::Name), ("agent", Form::Name), ("project", Form::Name)];

/// Keys of a case other than `steps`.
pub(crate) const CASE_KEYS: &[(&str, Form)] = &[
    ("story", Form::Text),
    // A tag that nothing reads; stories of others have it.
    ("seed", Form::Text),
    ("graph", Form::Graph),
    ("policies", Form::Text),
    ("starts", Form::Text),
    // Files on the disk, by their absolute paths. They are empty.
    ("files", Form::TextList),
];

pub(crate) static STEPS: LazyLock<Vec<StepSpec>> =
    LazyLock::new(|| read_steps(include_str!("spec/steps.txt")));

/// What cannot be read is left out.
fn read_steps(text: &'static str) -> Vec<StepSpec> {
    let mut steps: Vec<StepSpec> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (steps.last_mut(), line.strip_prefix("  ")) {
            (Some(step), Some(keys)) => step.keys.extend(split_keys(keys).filter_map(read_key)),
            _ => steps.extend(read_step(line)),
        }
    }
    steps
}

fn split_keys(line: &str) -> impl Iterator<Item = &str> {
    line.trim_end_matches(',').split(", ")
}

fn read_step(line: &'static str) -> Option<StepSpec> {
    let (step, description) = line.split_once(": ")?;
    let (key, form) = read_key(step)?;
    Some(StepSpec { key, description, form, keys: Vec::new() })
}

fn read_key(text: &'static str) -> Option<(&'static str, Form)> {
    let (key, form) = text.split_once(' ')?;
    Some((key, Form::from_name(form)?))
}

/// Step keys that are also plain keys of other steps. They name the step only if no other step key
/// is present.
pub(crate) const STEP_KEYS_USED_INSIDE_OTHERS: [&str; 2] = ["gesture", "undo"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_and_no_key_of_the_table_is_left_out() {
        let text = include_str!("spec/steps.txt");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (keys, steps): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with(' '));
        let wanted: usize = keys.iter().map(|line| split_keys(line).count()).sum();
        assert_eq!(STEPS.len(), steps.len());
        assert_eq!(STEPS.iter().map(|step| step.keys.len()).sum::<usize>(), wanted);
    }

    #[test]
    fn what_has_no_known_form_is_left_out() {
        let steps = read_steps("a text: b\n  c flag, d flga\ne: f\ng word:risk: h\n");
        assert_eq!(steps.len(), 1);
        assert_eq!(steps[0].keys, [("c", Form::Flag)]);
    }
}
