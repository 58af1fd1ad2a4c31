//! Checks that a value has the form that its key takes, and reads values of each form.

use super::{find_suggestion, quote_list};
use crate::spec::{Form, WordList};
use countersign_core::model::category::Category;
use countersign_core::model::names::Action;
use countersign_core::model::time::Span;
use countersign_graph::{DocumentNode, NodeValue, Problem};

pub(super) fn check_form(form: Form, node: &DocumentNode) -> Vec<Problem> {
    match form {
        Form::Any | Form::Graph => Vec::new(),
        Form::Text | Form::Name => require_form(read_text(node), node, "a text"),
        Form::TextOrList => {
            let read = read_text(node).map(|one| vec![one]).or_else(|| read_texts(node));
            require_form(read, node, "a text or a list of texts")
        }
        Form::TextList => require_form(read_texts(node), node, "a list of texts"),
        Form::Flag => require_form(read_flag(node), node, "`true` or `false`"),
        Form::OnlyTrue => require_form(read_flag(node).filter(|flag| *flag), node, "`true`"),
        Form::Number => require_form(read_number(node), node, "a number"),
        Form::Count => require_form(read_count(node), node, "a whole number"),
        Form::Span => {
            let read = read_text(node).and_then(|text| Span::parse(&text));
            require_form(read, node, "a length of time such as `16m`, `2h` or `30d`")
        }
        Form::Word(words) => check_word(words, node),
        Form::Answers => check_answers(node),
        Form::Cards => {
            let lists =
                read_list(node).filter(|cards| cards.iter().all(|card| read_texts(card).is_some()));
            require_form(lists, node, "a list of lists of actions, one per request")
        }
        Form::Coverage => check_coverage(node),
        Form::RevokeTarget => check_revoke_target(node),
        Form::TierQuery => check_tier_query(node),
        Form::Diff => {
            let both = node.entries().filter(|entries| entries.len() == 2);
            let read = both.and(node.get("before")).and(node.get("after"));
            require_form(read, node, "`{before: …, after: …}`")
        }
    }
}

/// Returns a problem that says what was expected, unless the value could be read.
fn require_form<T>(value: Option<T>, node: &DocumentNode, expected: &str) -> Vec<Problem> {
    if value.is_some() {
        return Vec::new();
    }
    let message = format!("expected {expected}, found {}", node.describe_type());
    vec![Problem::new(node.span, message, format!("write {expected} here"))]
}

fn check_word(words: WordList, node: &DocumentNode) -> Vec<Problem> {
    let known = words.words();
    let Some(word) = read_text(node) else {
        return require_form(
            None::<()>,
            node,
            &format!("one of {}", quote_list(known.into_iter())),
        );
    };
    if known.contains(&word.as_str()) {
        return Vec::new();
    }
    let help = find_suggestion(&word, known.iter().copied()).map_or_else(
        || format!("use one of {}", quote_list(known.iter().copied())),
        |guess| format!("did you mean `{guess}`?"),
    );
    vec![Problem::new(node.span, format!("`{word}` is not a valid value here"), help)]
}

fn check_answers(node: &DocumentNode) -> Vec<Problem> {
    let Some(entries) = node.entries() else {
        return require_form(None::<()>, node, "a map from actions to choices");
    };
    let mut problems = Vec::new();
    for entry in entries {
        if let Err(error) = Action::parse(&entry.key.name) {
            problems.push(Problem::new(entry.key.span, error.to_string(), "name an item's action"));
        }
        problems.extend(check_word(WordList::Choices, &entry.value));
    }
    problems
}

fn check_coverage(node: &DocumentNode) -> Vec<Problem> {
    let what = "one of `command`, `action`, `category` and `everything: true`";
    let Some([entry]) = node.entries() else { return require_form(None::<()>, node, what) };
    let value = read_text(&entry.value);
    let is_valid = match entry.key.name.as_str() {
        "command" => value.is_some(),
        "action" => value.is_some_and(|text| Action::parse(&text).is_ok()),
        "category" => value.is_some_and(|text| Category::parse(&text).is_ok()),
        "everything" => read_flag(&entry.value) == Some(true),
        _ => false,
    };
    require_form(is_valid.then_some(()), node, what)
}

fn check_revoke_target(node: &DocumentNode) -> Vec<Problem> {
    let what = "a name, `all`, or one of `command`, `action` and `workflow`";
    if read_text(node).is_some() {
        return Vec::new();
    }
    let Some([entry]) = node.entries() else { return require_form(None::<()>, node, what) };
    let value = read_text(&entry.value);
    let is_valid = match entry.key.name.as_str() {
        "command" | "workflow" => value.is_some(),
        "action" => value.is_some_and(|text| Action::parse(&text).is_ok()),
        _ => false,
    };
    require_form(is_valid.then_some(()), node, what)
}

fn check_tier_query(node: &DocumentNode) -> Vec<Problem> {
    let is_valid = match read_list(node) {
        Some([domain, action]) => read_text(domain).is_some() && read_text(action).is_some(),
        Some([domain, action, confidence]) => {
            read_text(domain).is_some()
                && read_text(action).is_some()
                && read_number(confidence).is_some()
        }
        _ => false,
    };
    require_form(is_valid.then_some(()), node, "`[domain, action, confidence]`")
}

pub(super) fn read_text(node: &DocumentNode) -> Option<String> {
    match &node.value {
        NodeValue::String(text) => Some(text.clone()),
        // Names such as `002` may be written without quotes.
        NodeValue::Int(int) => Some(int.to_string()),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn read_list(node: &DocumentNode) -> Option<&[DocumentNode]> {
    match &node.value {
        NodeValue::List(items) => Some(items),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::String(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn read_texts(node: &DocumentNode) -> Option<Vec<String>> {
    read_list(node)?.iter().map(read_text).collect()
}

pub(super) fn read_flag(node: &DocumentNode) -> Option<bool> {
    match node.value {
        NodeValue::Bool(flag) => Some(flag),
        NodeValue::Null
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn read_number(node: &DocumentNode) -> Option<f64> {
    match node.value {
        // Loses precision above 2^53; no key of a case takes such a large number.
        NodeValue::Int(int) => Some(int as f64),
        NodeValue::Float(float) => Some(float),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn read_count(node: &DocumentNode) -> Option<u64> {
    match node.value {
        NodeValue::Int(int) => u64::try_from(int).ok(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}
