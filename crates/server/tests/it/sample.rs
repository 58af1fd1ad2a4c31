//! Builds the smallest value that fits a schema.

use serde_json::{Map, Value, json};

pub fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(place) => resolve(document, document.pointer(place.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}

pub fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

pub fn sample(document: &Value, schema: &Value) -> Value {
    let schema = resolve(document, schema);
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if schema["properties"].is_object() {
        return object(document, schema);
    }
    for several in ["enum", "oneOf", "anyOf"] {
        if let Some(first) = schema[several].as_array().and_then(|several| several.first()) {
            return if several == "enum" { first.clone() } else { sample(document, first) };
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => object(document, schema),
        Some("array") if schema["minItems"] == 1 => json!([sample(document, &schema["items"])]),
        Some("array") => json!([]),
        Some("string") => text(schema),
        Some("integer" | "number") => json!(0),
        Some("boolean") => json!(false),
        _ => json!({}),
    }
}

fn object(document: &Value, schema: &Value) -> Value {
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    // If there are alternatives, take the first.
    for several in ["oneOf", "anyOf"] {
        let first = &schema[several][0]["required"];
        required.extend(first.as_array().cloned().unwrap_or_default());
    }
    let mut fields = Map::new();
    for name in required.iter().map(|name| name.as_str().unwrap()) {
        fields.insert(name.to_owned(), sample(document, &schema["properties"][name]));
    }
    Value::Object(fields)
}

fn text(schema: &Value) -> Value {
    let Some(pattern) = schema["pattern"].as_str() else { return json!("s1") };
    if let Some(prefix) = pattern.strip_suffix("[0-9a-f]{32}$") {
        return json!(format!(
            "{}019b8d627a8070008000000000000007",
            prefix.trim_start_matches('^')
        ));
    }
    if pattern.contains("[0-9a-f]{64}") {
        return json!("0".repeat(64));
    }
    if pattern.contains("T[0-9]{2}") {
        return json!("2026-01-05T09:00:00Z");
    }
    // An action, or any name.
    json!(if pattern.contains(r"\.") { "files.read" } else { "s1" })
}
