//! The JSON Schema of case files, made from the table that the reader uses.

use crate::spec::{ALSO_PLAIN, EVERYWHERE, Form, STEPS, StepSpec, TOP, Words};
use serde_json::{Map, Value, json};

/// The schema, for editors that complete and check.
pub fn schema() -> Value {
    let mut properties: Map<String, Value> =
        TOP.iter().map(|(key, form)| ((*key).to_owned(), of(*form))).collect();
    let steps: Vec<Value> = STEPS.iter().map(step).collect();
    properties
        .insert("steps".into(), json!({"type": "array", "minItems": 1, "items": {"oneOf": steps}}));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Countersign case",
        "description": "A story with expected decisions.",
        "type": "object",
        "required": ["story", "steps"],
        "additionalProperties": false,
        "properties": properties,
    })
}

fn step(spec: &StepSpec) -> Value {
    let own = [(spec.key, spec.takes)];
    let keys = own.iter().chain(spec.keys).chain(EVERYWHERE);
    let properties: Map<String, Value> =
        keys.map(|(key, form)| ((*key).to_owned(), of(*form))).collect();
    let mut form = json!({
        "title": spec.key,
        "description": spec.about,
        "type": "object",
        "required": [spec.key],
        "additionalProperties": false,
        "properties": properties,
    });
    if ALSO_PLAIN.contains(&spec.key) {
        // Where another step key stands, this one is only a detail of it.
        let others =
            STEPS.iter().filter(|other| other.keys.iter().any(|(key, _)| *key == spec.key));
        let others: Vec<Value> = others.map(|other| json!({"required": [other.key]})).collect();
        if let Value::Object(form) = &mut form {
            form.insert("not".into(), json!({"anyOf": others}));
        }
    }
    form
}

fn of(form: Form) -> Value {
    let text = json!({"type": ["string", "integer"]});
    let texts = json!({"type": "array", "items": text});
    match form {
        Form::Text | Form::Name => text,
        Form::TextOrList => json!({"anyOf": [text, texts]}),
        Form::TextList => texts,
        Form::Flag => json!({"type": "boolean"}),
        Form::True => json!({"const": true}),
        Form::Number => json!({"type": "number"}),
        Form::Count => json!({"type": "integer", "minimum": 0}),
        Form::Span => json!({"type": "string", "pattern": "^([0-9]{1,6}[smhd])+$"}),
        Form::Word(words) => json!({"enum": words.list()}),
        Form::Any => json!(true),
        Form::Answers => {
            let choices = json!({"enum": Words::Choices.list()});
            json!({"type": "object", "additionalProperties": choices})
        }
        Form::Cards => json!({"type": "array", "items": texts}),
        Form::Coverage => one_of(&["command", "action", "category", "everything"]),
        Form::Revoked => json!({"anyOf": [text, one_of(&["command", "action", "workflow"])]}),
        Form::Checked => json!({"type": "array", "minItems": 2, "maxItems": 3}),
        Form::Graph => json!({"type": "object"}),
        Form::Diff => json!({
            "type": "object",
            "required": ["before", "after"],
            "additionalProperties": false,
            "properties": {"before": text, "after": text},
        }),
    }
}

fn one_of(keys: &[&str]) -> Value {
    let forms: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let form = match *key {
                "everything" => json!({"const": true}),
                _ => json!({"type": "string"}),
            };
            ((*key).to_owned(), form)
        })
        .collect();
    json!({
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
        "properties": forms,
    })
}
