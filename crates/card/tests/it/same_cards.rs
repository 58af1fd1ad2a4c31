//! Two calls that differ never look the same: neither in the whole text, nor on a card that leaves
//! nothing out.

use crate::fixture::{draft_call, load_graph, show_call};
use countersign_card::{build_card, render_full_text, render_lines};
use countersign_core::model::call::CallDraft;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What an operator sees of a call, without its digest, and the digest.
struct ShownCall {
    digest: String,
    whole: String,
    /// None if the card leaves something out.
    card: Option<String>,
}

fn show(draft: &CallDraft) -> ShownCall {
    let graph = load_graph();
    let (whole, card) = show_call(&graph, draft, |context, request| {
        (render_full_text(context, request), build_card(context, request))
    });
    let lines = render_lines(&card);
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.retain(|line| !line.starts_with("digest: "));
    ShownCall {
        digest: card.digest.clone(),
        whole: whole.join("\n"),
        card: card.left_out.is_nothing().then(|| lines.join("\n")),
    }
}

fn lines_with(middle: &str) -> String {
    let around = "a line\n".repeat(100);
    format!("{around}{middle}\n{around}")
}

/// Values that are easily taken for each other.
fn similar_values() -> Vec<Value> {
    let mut values = vec![
        json!(1),
        json!("1"),
        json!(" 1"),
        json!("1\n"),
        json!("\"1\""),
        json!(1.5),
        json!("1.5"),
        json!(true),
        json!("true"),
        json!(null),
        json!("null"),
        json!([]),
        json!("[]"),
        json!({}),
        json!("{}"),
        json!([1]),
        json!(["1"]),
        json!("[\n  1\n]"),
        json!({"a": 1}),
        json!("{\n  \"a\": 1\n}"),
        json!(""),
        json!(" "),
        json!("\n"),
        json!("\n\n"),
        json!("\n\n\n\n"),
        json!("4 empty lines"),
        json!("a"),
        json!("a\n"),
        json!("a\n\n"),
        json!("a "),
        json!("\u{1b}"),
        json!("\\u{1b}"),
        json!("\\\\u{1b}"),
        json!(["\u{1b}"]),
        json!(["\\u{1b}"]),
        json!(["\\u001b"]),
        json!("\t"),
        json!("\\t"),
        json!("\u{202e}"),
        json!(["\u{202e}"]),
        json!(["\\u{202e}"]),
        json!("a\nargument b: 1"),
        json!("a\n  |   b"),
        json!("x".repeat(1_000)),
        json!(format!("{}y{}", "x".repeat(500), "x".repeat(499))),
        json!(lines_with("one")),
        json!(lines_with("two")),
        json!(format!("{} [60 more characters] {}", "x".repeat(180), "x".repeat(60))),
        json!("x".repeat(300)),
    ];
    values.extend(["a", "a: 1", "a (JSON)"].map(|name| json!({name: "1"})));
    values
}

fn similar_calls() -> Vec<CallDraft> {
    let mut calls = Vec::new();
    for value in similar_values() {
        for name in ["body", "body (JSON)", "body: 1", "to", "old_string", "content"] {
            for tool in ["mail", "Edit", "Bash"] {
                let mut args = Map::from_iter([(name.to_owned(), value.clone())]);
                if tool == "Bash" {
                    let line = value.as_str().filter(|line| !line.trim().is_empty());
                    args.insert("command".to_owned(), json!(line.unwrap_or("ls")));
                }
                calls.push(draft_call(tool, Value::Object(args)));
            }
        }
        for (before, after) in [("a\n", &value), ("a", &value)] {
            let args = json!({"file_path": "/a", "old_string": before, "new_string": after});
            calls.push(draft_call("Edit", args));
        }
        if let Some(text) = value.as_str() {
            for targets in [vec![text], vec![text, text], vec!["a", text]] {
                let mut call = draft_call("pay", json!({"amount": "1"}));
                call.target = targets.into_iter().map(str::to_owned).collect();
                calls.push(call);
            }
            let mut call = draft_call("mail", json!({}));
            call.cwd = Some(text.to_owned());
            calls.push(call);
        }
    }
    for args in [
        json!({"payee": "5.00 EUR", "amount": "5.00 EUR"}),
        json!({"payee": "5.00 EUR", "amount": "5.00 EUR", "tip": "5.00 EUR"}),
        json!({"payee": "5.00 EUR", "amount": "5.00 EUR", "fee": "5.00 EUR"}),
    ] {
        calls.push(draft_call("pay", args));
    }
    calls
}

/// Finds two calls with different digests and the same text.
fn assert_all_differ(calls: &[CallDraft]) {
    let (mut whole, mut cards) = (HashMap::new(), HashMap::new());
    for draft in calls {
        let shown = show(draft);
        let other = whole.insert(shown.whole.clone(), shown.digest.clone());
        assert!(other.is_none_or(|digest| digest == shown.digest), "{draft:?}\n{}", shown.whole);
        let Some(card) = shown.card else { continue };
        let other = cards.insert(card.clone(), shown.digest.clone());
        assert!(other.is_none_or(|digest| digest == shown.digest), "{draft:?}\n{card}");
    }
}

#[test]
fn calls_that_are_easily_confused_look_different() {
    assert_all_differ(&similar_calls());
}

#[test]
fn the_order_of_keys_makes_no_other_call() {
    let one = serde_json::from_str(r#"{"to": "bob@example.com", "a": {"x": 1, "y": 2}}"#).unwrap();
    let two = serde_json::from_str(r#"{"a": {"y": 2, "x": 1}, "to": "bob@example.com"}"#).unwrap();
    let (one, two) = (show(&draft_call("mail", one)), show(&draft_call("mail", two)));
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.replace(',', "")).collect();
        lines.sort();
        lines
    };
    assert_eq!(one.digest, two.digest);
    assert_eq!(sorted(&one.whole), sorted(&two.whole));
}

/// Texts of the pieces that escapes, quotes and line ends are made of.
fn tricky_text() -> impl Strategy<Value = String> {
    let pieces =
        ["a", "1", "\\", "n", "u{1b}", "\"", "\n", "\t", "\u{1b}", " ", "{", "}", "[", "|"];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5).prop_map(|all| all.concat())
}

fn tricky_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => tricky_text().prop_map(Value::from),
        1 => (0..3_i64).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(tricky_text(), inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn tricky_call() -> impl Strategy<Value = CallDraft> {
    let tool = prop::sample::select(vec!["mail", "Edit", "pay", "rm"]);
    let name = prop_oneof![
        prop::sample::select(vec![
            "to",
            "payee",
            "paths",
            "content",
            "old_string",
            "new_string",
            "amount"
        ])
        .prop_map(str::to_owned),
        tricky_text(),
    ];
    (tool, prop::collection::btree_map(name, tricky_value(), 0..3))
        .prop_map(|(tool, args)| draft_call(tool, Value::Object(args.into_iter().collect())))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn different_calls_look_different(calls in prop::collection::vec(tricky_call(), 24)) {
        assert_all_differ(&calls);
    }
}
