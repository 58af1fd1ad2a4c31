//! Whether a value has the form that its key takes, and reading it once it has.

use super::{list, suggestion};
use crate::spec::{Form, Words};
use countersign_core::model::category::Category;
use countersign_core::model::names::Action;
use countersign_core::model::time::Span;
use countersign_graph::{Node, NodeValue, Problem};

pub(super) fn check(form: Form, node: &Node) -> Vec<Problem> {
    match form {
        Form::Any | Form::Graph => Vec::new(),
        Form::Text | Form::Name => expected(text(node), node, "a text"),
        Form::TextOrList => {
            let read = text(node).map(|one| vec![one]).or_else(|| texts(node));
            expected(read, node, "a text or a list of texts")
        }
        Form::TextList => expected(texts(node), node, "a list of texts"),
        Form::Flag => expected(flag(node), node, "`true` or `false`"),
        Form::True => expected(flag(node).filter(|flag| *flag), node, "`true`"),
        Form::Number => expected(number(node), node, "a number"),
        Form::Count => expected(count(node), node, "a whole number"),
        Form::Span => {
            let read = text(node).and_then(|text| Span::parse(&text));
            expected(read, node, "a length of time such as `16m`, `2h` or `30d`")
        }
        Form::Word(words) => word(words, node),
        Form::Answers => answers(node),
        Form::Cards => {
            let lists = items(node).filter(|cards| cards.iter().all(|card| texts(card).is_some()));
            expected(lists, node, "a list of lists of actions, one per request")
        }
        Form::Coverage => coverage(node),
        Form::Revoked => revoked(node),
        Form::Checked => checked(node),
        Form::Diff => {
            let both = node.entries().filter(|entries| entries.len() == 2);
            let read = both.and(node.get("before")).and(node.get("after"));
            expected(read, node, "`{before: …, after: …}`")
        }
    }
}

/// No problem if the value could be read; otherwise what was expected instead.
fn expected<T>(read: Option<T>, node: &Node, what: &str) -> Vec<Problem> {
    if read.is_some() {
        return Vec::new();
    }
    let message = format!("expected {what}, found {}", node.describe_type());
    vec![Problem::new(node.span, message, format!("write {what} here"))]
}

fn word(words: Words, node: &Node) -> Vec<Problem> {
    let known = words.list();
    let Some(given) = text(node) else {
        return expected(None::<()>, node, &format!("one of {}", list(known.into_iter())));
    };
    if known.contains(&given.as_str()) {
        return Vec::new();
    }
    let help = suggestion(&given, known.iter().copied()).map_or_else(
        || format!("use one of {}", list(known.iter().copied())),
        |guess| format!("did you mean `{guess}`?"),
    );
    vec![Problem::new(node.span, format!("`{given}` is not known here"), help)]
}

fn answers(node: &Node) -> Vec<Problem> {
    let Some(entries) = node.entries() else {
        return expected(None::<()>, node, "a map from actions to choices");
    };
    let mut problems = Vec::new();
    for entry in entries {
        if let Err(error) = Action::parse(&entry.key.name) {
            problems.push(Problem::new(entry.key.span, error.to_string(), "name an item's action"));
        }
        problems.extend(word(Words::Choices, &entry.value));
    }
    problems
}

fn coverage(node: &Node) -> Vec<Problem> {
    let what = "one of `command`, `action`, `category` and `everything: true`";
    let Some([entry]) = node.entries() else { return expected(None::<()>, node, what) };
    let value = text(&entry.value);
    let fits = match entry.key.name.as_str() {
        "command" => value.is_some(),
        "action" => value.is_some_and(|text| Action::parse(&text).is_ok()),
        "category" => value.is_some_and(|text| Category::parse(&text).is_ok()),
        "everything" => flag(&entry.value) == Some(true),
        _ => false,
    };
    expected(fits.then_some(()), node, what)
}

fn revoked(node: &Node) -> Vec<Problem> {
    let what = "a name, `all`, or one of `command`, `action` and `workflow`";
    if text(node).is_some() {
        return Vec::new();
    }
    let Some([entry]) = node.entries() else { return expected(None::<()>, node, what) };
    let value = text(&entry.value);
    let fits = match entry.key.name.as_str() {
        "command" | "workflow" => value.is_some(),
        "action" => value.is_some_and(|text| Action::parse(&text).is_ok()),
        _ => false,
    };
    expected(fits.then_some(()), node, what)
}

fn checked(node: &Node) -> Vec<Problem> {
    let fits = match items(node) {
        Some([domain, action]) => text(domain).is_some() && text(action).is_some(),
        Some([domain, action, confidence]) => {
            text(domain).is_some() && text(action).is_some() && number(confidence).is_some()
        }
        _ => false,
    };
    expected(fits.then_some(()), node, "`[domain, action, confidence]`")
}

pub(super) fn text(node: &Node) -> Option<String> {
    match &node.value {
        NodeValue::String(text) => Some(text.clone()),
        // Names and seeds such as `002` may stand without quotes.
        NodeValue::Int(int) => Some(int.to_string()),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn items(node: &Node) -> Option<&[Node]> {
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

pub(super) fn texts(node: &Node) -> Option<Vec<String>> {
    items(node)?.iter().map(text).collect()
}

pub(super) fn flag(node: &Node) -> Option<bool> {
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

pub(super) fn number(node: &Node) -> Option<f64> {
    match node.value {
        // Beyond 2^53 precision is lost, and no number that a case takes is that large.
        NodeValue::Int(int) => Some(int as f64),
        NodeValue::Float(float) => Some(float),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::String(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

pub(super) fn count(node: &Node) -> Option<u64> {
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
