//! Arguments that a tool wants repeated in HTTP headers, so that others can route by them.
//!
//! A property of the tool's schema names the header in `x-mcp-header`. Header and argument must say
//! the same. What is sent is computed from the arguments that were decided; headers that a client
//! sends on its own account are compared and go no further.
//!
//! See docs/decisions/0084-headers-of-arguments.md.

use super::headers::{decode_header, encode_header};
use axum::http::HeaderMap;
use serde_json::Value;

const ANNOTATION: &str = "x-mcp-header";
const PREFIX: &str = "mcp-param-";

/// Keywords whose value is data, not a schema.
const DATA: [&str; 4] = ["default", "const", "enum", "examples"];

/// The header of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentHeader {
    /// In lower case, with its prefix.
    header: String,
    path: Vec<String>,
}

/// The headers of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentHeaders {
    Valid(Vec<ArgumentHeader>),
    /// Such a tool cannot be called over HTTP: its server would expect headers that nobody can tell.
    Invalid,
}

impl ArgumentHeaders {
    pub(crate) fn read(schema: &str) -> Self {
        let none = Self::Valid(Vec::new());
        if !schema.contains(ANNOTATION) {
            return none;
        }
        let Ok(schema) = serde_json::from_str::<Value>(schema) else { return none };
        let mut found = Vec::new();
        match collect(&schema, &mut Vec::new(), &mut found) {
            Some(()) if found.len() == count_annotations(&schema) => Self::Valid(found),
            Some(()) | None => Self::Invalid,
        }
    }

    /// The headers for these arguments. An argument that is absent or null has none.
    pub(crate) fn build(&self, arguments: &str) -> Vec<(String, String)> {
        let Self::Valid(mirrored) = self else { return Vec::new() };
        if mirrored.is_empty() {
            return Vec::new();
        }
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let header = |one: &ArgumentHeader| {
            let text = write_value(find_argument(&arguments, &one.path)?)?;
            Some((one.header.clone(), encode_header(&text)))
        };
        mirrored.iter().filter_map(header).collect()
    }

    /// Refuses headers that differ from the arguments.
    pub(crate) fn check(&self, headers: &RequestHeaders, arguments: &str) -> Result<(), String> {
        let (Self::Valid(mirrored), RequestHeaders::Sent(sent)) = (self, headers) else {
            return Ok(());
        };
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        for one in mirrored {
            let mut values = sent.iter().filter(|(name, _)| *name == one.header);
            let expected = find_argument(&arguments, &one.path).filter(|value| !value.is_null());
            let is_same = match (values.next(), values.next(), expected) {
                (None, _, None) => true,
                (Some((_, value)), None, Some(expected)) => {
                    decode_header(value).is_some_and(|text| is_same_value(&text, expected))
                }
                _ => false,
            };
            if !is_same {
                return Err(format!("the header `{}` differs from the arguments", one.header));
            }
        }
        Ok(())
    }
}

/// The headers for arguments that came with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestHeaders {
    /// The client's transport has none.
    NotUsed,
    Sent(Vec<(String, String)>),
}

impl RequestHeaders {
    pub(crate) fn from_request(headers: &HeaderMap) -> Self {
        let mirrored = headers.iter().filter(|(name, _)| name.as_str().starts_with(PREFIX));
        // A value that is no text differs from every argument.
        let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap_or_default();
        let pair = mirrored.map(|(name, value)| (name.to_string(), text(value.as_bytes())));
        Self::Sent(pair.collect())
    }
}

/// Collects the annotated properties. None if one of them is not allowed.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<ArgumentHeader>) -> Option<()> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Some(());
    };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(annotation) = property.get(ANNOTATION) {
            let header = format!("{PREFIX}{}", annotation.as_str()?.to_ascii_lowercase());
            let kind = property.get("type").and_then(Value::as_str)?;
            let is_new = found.iter().all(|one| one.header != header);
            let is_primitive = matches!(kind, "string" | "integer" | "boolean");
            if !(is_new && is_primitive && is_token(annotation.as_str()?)) {
                return None;
            }
            found.push(ArgumentHeader { header, path: path.clone() });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Some(())
}

/// All annotations, also those at places where none is allowed.
fn count_annotations(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(count_annotations).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| match (key.as_str(), value) {
                (ANNOTATION, _) => 1,
                // Here keys are names.
                (
                    "properties" | "patternProperties" | "$defs" | "definitions",
                    Value::Object(of),
                ) => of.values().map(count_annotations).sum(),
                (key, _) if DATA.contains(&key) => 0,
                (_, value) => count_annotations(value),
            })
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// A token of RFC 9110, section 5.6.2.
fn is_token(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_plain)
}

fn find_argument<'v>(arguments: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(arguments, |value, name| value.get(name))
}

/// None for a value of another type than the schema promises: the server refuses it anyway.
fn write_value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether a header says the same as an argument. Numbers are compared by value.
fn is_same_value(text: &str, argument: &Value) -> bool {
    match (argument, argument.as_f64()) {
        (Value::Number(_), Some(number)) => text.parse() == Ok(number),
        _ => write_value(argument).as_deref() == Some(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "page":{"type":"integer","x-mcp-header":"Page"},
        "x-mcp-header":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry"}}},
        "query":{"type":"string","default":{"x-mcp-header":1}}}}"#;

    #[test]
    fn annotated_arguments_are_repeated_in_headers() {
        let mirrored = ArgumentHeaders::read(SCHEMA);
        let headers =
            mirrored.build(r#"{"region":"são","page":2,"x-mcp-header":{"dry":true},"query":"q"}"#);
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["mcp-param-region", "mcp-param-page", "mcp-param-dry"]);
        let values: Vec<&str> = headers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [encode_header("são").as_str(), "2", "true"]);
        assert_eq!(mirrored.build(r#"{"region":null}"#), []);
        assert_eq!(ArgumentHeaders::read("{}").build("{}"), []);
    }

    #[test]
    fn a_header_says_what_its_argument_says() {
        let mirrored = ArgumentHeaders::read(SCHEMA);
        let check = |headers: &[(&str, &str)], arguments: &str| {
            let sent = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            mirrored.check(&RequestHeaders::Sent(sent), arguments).is_ok()
        };
        let (region, page) = (("mcp-param-region", "eu"), ("mcp-param-page", "2"));
        assert!(check(&[region, page], r#"{"region":"eu","page":2.0}"#));
        assert!(check(&[], r#"{"region":null}"#));
        assert!(check(&[region, ("mcp-param-other", "x")], r#"{"region":"eu"}"#));
        assert!(!check(&[region], r#"{"region":"us"}"#));
        assert!(!check(&[region, region], r#"{"region":"eu"}"#));
        assert!(!check(&[region], "{}"));
        assert!(!check(&[], r#"{"page":2}"#));
        assert!(!check(&[("mcp-param-region", "=?base64?%%?=")], r#"{"region":"eu"}"#));
        assert_eq!(mirrored.check(&RequestHeaders::NotUsed, r#"{"page":2}"#), Ok(()));
    }

    #[test]
    fn an_annotation_at_the_wrong_place_or_of_the_wrong_kind_is_not_valid() {
        let property = |property: &str| format!(r#"{{"properties":{{"a":{property}}}}}"#);
        for wrong in [
            property(r#"{"type":"number","x-mcp-header":"A"}"#),
            property(r#"{"x-mcp-header":"A"}"#),
            property(r#"{"type":"string","x-mcp-header":"A b"}"#),
            property(r#"{"type":"string","x-mcp-header":""}"#),
            property(r#"{"type":"string","x-mcp-header":1}"#),
            property(r#"{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#),
            r#"{"oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#.to_owned(),
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#.to_owned(),
        ] {
            assert_eq!(ArgumentHeaders::read(&wrong), ArgumentHeaders::Invalid, "{wrong}");
        }
    }
}
