//! JSON read strictly and written canonically (RFC 8785), so that one value has one digest.
//!
//! The reader refuses duplicate keys, integers that a double cannot hold exactly, and what JSON
//! itself does not allow (NaN, lone surrogates). Otherwise two different inputs could have one
//! digest because a reader rounded or dropped something.
//!
//! See docs/decisions/0006-few-dependencies-in-pure-crates.md.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::fmt;

/// Arguments of one call in canonical form: a card must be readable, and the record is kept.
pub const ARGUMENT_BYTES: usize = 1 << 20;
/// Nesting of arguments; deeper input is refused before it can exhaust a stack.
pub const ARGUMENT_DEPTH: usize = 64;

/// Beyond this, neighbouring integers share a double.
const MAX_EXACT_INTEGER: u64 = (1 << 53) - 1;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("not acceptable as JSON: {0}")]
    Syntax(String),
    #[error("the integer {0} is beyond ±(2^53−1); pass it as a string")]
    Inexact(String),
    #[error("the value is larger than {} bytes", ARGUMENT_BYTES)]
    TooLarge,
    #[error("the value is nested deeper than {} levels", ARGUMENT_DEPTH)]
    TooDeep,
}

impl serde::ser::Error for JsonError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Syntax(message.to_string())
    }
}

/// Reads one JSON value and refuses ambiguous input.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    if bytes.len() > ARGUMENT_BYTES {
        return Err(JsonError::TooLarge);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = deserialize_value(&mut reader).map_err(|e| JsonError::Syntax(e.to_string()))?;
    reader.end().map_err(|e| JsonError::Syntax(e.to_string()))?;
    check(&value)?;
    Ok(value)
}

/// Deserialises a value in which every key is only a key, and no key occurs twice. Every field of the
/// type `Value` uses it: `Value` itself gives private keys of serde_json a meaning, if another crate
/// enables `raw_value`, and then two inputs would be one value. (`arbitrary_precision` would make a
/// number look like an object to any reader. `cargo xtask boundaries` keeps it out.)
pub fn deserialize_value<'de, D: Deserializer<'de>>(reader: D) -> Result<Value, D::Error> {
    StrictVisitor.deserialize(reader)
}

/// Refuses a value that has no canonical form.
#[inline]
pub fn check(value: &Value) -> Result<(), JsonError> {
    canonical(value).map(drop)
}

/// The canonical bytes of a value.
#[inline]
pub fn canonical(value: &Value) -> Result<String, JsonError> {
    let out = to_canonical_unbounded(value)?;
    if out.len() > ARGUMENT_BYTES {
        return Err(JsonError::TooLarge);
    }
    Ok(out)
}

/// The canonical form without the size limit, for values that Countersign itself made: an entry is
/// longer than the arguments in it.
#[inline]
pub fn to_canonical_unbounded(value: &Value) -> Result<String, JsonError> {
    let mut out = String::with_capacity(256);
    write(value, 0, &mut out)?;
    Ok(out)
}

/// Normalises a value to what its canonical form reads back as: `1.0` becomes `1`.
pub fn normal(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|n| number.is_f64() && is_written_as_integer(*n));
            if let Some(n) = whole.filter(|n| n.abs() <= MAX_EXACT_INTEGER as f64) {
                return Value::from(n as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = normal(item.take())),
        Value::Object(map) => map.values_mut().for_each(|item| *item = normal(item.take())),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
    value
}

/// Appends the canonical form of a value at this nesting depth.
#[inline]
pub fn write(value: &Value, depth: usize, out: &mut String) -> Result<(), JsonError> {
    if depth > ARGUMENT_DEPTH {
        return Err(JsonError::TooDeep);
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out)?,
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, depth + 1, out)?;
            }
            out.push(']');
        }
        Value::Object(map) => write_object(map, depth, out)?,
    }
    Ok(())
}

#[inline]
fn write_object(map: &Map<String, Value>, depth: usize, out: &mut String) -> Result<(), JsonError> {
    // RFC 8785 sorts by UTF-16 units, which differs from UTF-8 order only beyond the BMP.
    if map.keys().is_sorted() && map.keys().all(|key| key.is_ascii()) {
        return write_entries(map.iter(), depth, out);
    }
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by(|(a, _), (b, _)| compare_keys(a, b));
    write_entries(entries.into_iter(), depth, out)
}

/// Compares keys by UTF-16 code units, as RFC 8785 demands.
#[inline]
pub fn compare_keys(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

#[inline]
fn write_entries<'a>(
    entries: impl Iterator<Item = (&'a String, &'a Value)>,
    depth: usize,
    out: &mut String,
) -> Result<(), JsonError> {
    out.push('{');
    for (at, (key, value)) in entries.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write(value, depth + 1, out)?;
    }
    out.push('}');
    Ok(())
}

#[inline]
pub fn write_number(number: &Number, out: &mut String) -> Result<(), JsonError> {
    use std::fmt::Write;
    let inexact = || JsonError::Inexact(number.to_string());
    if let Some(n) = number.as_i64() {
        if n.unsigned_abs() > MAX_EXACT_INTEGER {
            return Err(inexact());
        }
        write!(out, "{n}").map_err(|_| inexact())
    } else if number.is_u64() {
        Err(inexact())
    } else {
        let n = number.as_f64().filter(|n| n.is_finite()).ok_or_else(inexact)?;
        if is_written_as_integer(n) && n.abs() > MAX_EXACT_INTEGER as f64 {
            return Err(inexact());
        }
        out.push_str(ryu_js::Buffer::new().format(n));
        Ok(())
    }
}

/// Whether the canonical form of a double has neither point nor exponent.
#[inline]
fn is_written_as_integer(n: f64) -> bool {
    n.fract() == 0.0 && n.abs() < 1e21
}

#[inline]
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    // Most texts need no escapes, and copying the whole text is many times faster than looking at
    // each character.
    if needs_no_escape(text.as_bytes()) {
        out.push_str(text);
    } else {
        write_escaped(text, out);
    }
    out.push('"');
}

fn write_escaped(text: &str, out: &mut String) {
    use std::fmt::Write;
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
}

/// Whether no byte needs an escape. It has no branch per byte, so that the compiler vectorises it.
#[inline]
fn needs_no_escape(bytes: &[u8]) -> bool {
    let escaped = |byte: u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
    let any = |bytes: &[u8]| bytes.iter().fold(false, |any, byte| any | escaped(*byte));
    let (chunks, rest) = bytes.as_chunks::<32>();
    !chunks.iter().any(|chunk| any(chunk)) && !any(rest)
}

/// Deserialises a value and refuses duplicate keys.
struct StrictVisitor;

impl<'de> DeserializeSeed<'de> for StrictVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(StrictVisitor)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(StrictVisitor)?;
            match map.entry(key) {
                Entry::Vacant(place) => place.insert(value),
                Entry::Occupied(other) => {
                    let message = format!("the key `{}` occurs twice", other.key());
                    return Err(A::Error::custom(message));
                }
            };
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_and_write(text: &str) -> Result<String, JsonError> {
        canonical(&parse(text.as_bytes())?)
    }

    #[test]
    fn the_published_vectors_come_out_byte_for_byte() {
        let input = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(parse_and_write(input).as_deref(), Ok(expected));
    }

    #[test]
    fn keys_sort_by_utf16_units() {
        let input =
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        let expected = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}";
        assert_eq!(parse_and_write(input).as_deref(), Ok(expected));
    }

    #[test]
    fn ambiguous_input_is_refused() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"b":1}}"#,
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551615",
            "1e17",
            "9007199254740993.0",
            r#""\ud800""#,
            "NaN",
            "1 2",
            "[1,]",
            "",
        ] {
            assert!(parse_and_write(text).is_err(), "{text}");
        }
        assert_eq!(parse_and_write("9007199254740991").as_deref(), Ok("9007199254740991"));
    }

    #[test]
    fn a_normal_value_reads_back_as_itself() {
        for text in ["1.0", "-0.0", "1e3", "0.5", "1e21", r#"{"a":[1.0,{"b":2.0}]}"#] {
            let value = normal(parse(text.as_bytes()).unwrap());
            let reparsed = parse(canonical(&value).unwrap().as_bytes()).unwrap();
            assert_eq!(reparsed, value, "{text}");
        }
    }

    /// In this crate alone no feature gives these keys a meaning. The server's tests have the
    /// features of the whole program.
    #[test]
    fn a_private_key_of_the_parser_is_an_ordinary_key() {
        for key in ["RawValue", "Number"] {
            let text = format!(r#"{{"$serde_json::private::{key}":"1"}}"#);
            assert_eq!(parse_and_write(&text).as_deref(), Ok(text.as_str()));
            let value = parse(text.as_bytes()).unwrap();
            assert_eq!(deserialize_value(value.clone()).unwrap(), value);
        }
        assert_eq!(parse(b"1").unwrap(), Value::from(1));
    }

    #[test]
    fn nesting_and_size_are_bounded() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(parse_and_write(&deep), Err(JsonError::TooDeep));
        let large = format!("\"{}\"", "x".repeat(ARGUMENT_BYTES));
        assert_eq!(parse_and_write(&large), Err(JsonError::TooLarge));
    }
}
