//! The JSON Schema of case files, generated from the table that the parser uses.

use crate::spec::{
    CASE_KEYS, COMMON_STEP_KEYS, Form, STEP_KEYS_USED_INSIDE_OTHERS, STEPS, StepSpec, WordList,
};
use serde_json::{Map, Value, json};

/// The schema, for completion and validation in editors.
pub fn case_schema() -> Value {
    let mut properties: Map<String, Value> =
        CASE_KEYS.iter().map(|(key, form)| ((*key).to_owned(), form_schema(*form))).collect();
    let steps: Vec<Value> = STEPS.iter().map(step_schema).collect();
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

fn step_schema(spec: &StepSpec) -> Value {
    let step_key = [(spec.key, spec.form)];
    let keys = step_key.iter().chain(&spec.keys).chain(COMMON_STEP_KEYS);
    let properties: Map<String, Value> =
        keys.map(|(key, form)| ((*key).to_owned(), form_schema(*form))).collect();
    let mut schema = json!({
        "title": spec.key,
        "description": spec.description,
        "type": "object",
        "required": [spec.key],
        "additionalProperties": false,
        "properties": properties,
    });
    if STEP_KEYS_USED_INSIDE_OTHERS.contains(&spec.key) {
        // Next to another step key, this key is only an option of that step.
        let others =
            STEPS.iter().filter(|other| other.keys.iter().any(|(key, _)| *key == spec.key));
        let others: Vec<Value> = others.map(|other| json!({"required": [other.key]})).collect();
        if let Value::Object(fields) = &mut schema {
            fields.insert("not".into(), json!({"anyOf": others}));
        }
    }
    schema
}

fn form_schema(form: Form) -> Value {
    let text = json!({"type": ["string", "integer"]});
    let texts = json!({"type": "array", "items": text});
    match form {
        Form::Text | Form::Name => text,
        Form::TextOrList => json!({"anyOf": [text, texts]}),
        Form::TextList => texts,
        Form::Flag => json!({"type": "boolean"}),
        Form::OnlyTrue => json!({"const": true}),
        Form::Number => json!({"type": "number"}),
        Form::Count => json!({"type": "integer", "minimum": 0}),
        Form::Span => json!({"type": "string", "pattern": "^([0-9]{1,6}[smhd])+$"}),
        Form::Word(words) => json!({"enum": words.words()}),
        Form::Any => json!(true),
        Form::Answers => {
            let choices = json!({"enum": WordList::Choices.words()});
            json!({"type": "object", "additionalProperties": choices})
        }
        Form::Cards => json!({"type": "array", "items": texts}),
        Form::Coverage => single_key_schema(&["command", "action", "category", "everything"]),
        Form::RevokeTarget => {
            json!({"anyOf": [text, single_key_schema(&["command", "action", "workflow"])]})
        }
        Form::TierQuery => json!({"type": "array", "minItems": 2, "maxItems": 3}),
        Form::Graph => json!({"type": "object"}),
        Form::Diff => json!({
            "type": "object",
            "required": ["before", "after"],
            "additionalProperties": false,
            "properties": {"before": text, "after": text},
        }),
    }
}

fn single_key_schema(keys: &[&str]) -> Value {
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
