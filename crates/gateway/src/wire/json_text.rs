//! JSON as text: strict checking, finding members, replacing single values.
//!
//! `check` accepts one value without duplicate keys. The other functions expect text that passed it.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("not acceptable as JSON: {0}")]
    Json(String),
    #[error("not a JSON-RPC 2.0 message: {0}")]
    Message(&'static str),
}

/// Checks that this is one JSON value in which no object has a key twice. The parser limits the
/// nesting to 128 levels.
pub(crate) fn check(text: &str) -> Result<(), WireError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let checked = StrictVisitor.deserialize(&mut reader).and_then(|()| reader.end());
    checked.map_err(|error| WireError::Json(error.to_string()))
}

struct StrictVisitor;

impl<'de> DeserializeSeed<'de> for StrictVisitor {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(StrictVisitor)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value_seed(StrictVisitor)?;
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key `{twice}` occurs twice")));
            }
        }
        Ok(())
    }
}

/// The members of one object, as ranges of its text.
pub(crate) struct Members<'t> {
    text: &'t str,
    members: Vec<(Cow<'t, str>, Range<usize>)>,
}

impl<'t> Members<'t> {
    /// None if the text is not an object.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let mut cursor = JsonCursor::enter(text, b'{')?;
        let mut members = Vec::new();
        while cursor.skip_to_item(b'}')? {
            let key = cursor.take_value()?;
            cursor.expect(b':')?;
            members.push((decode_key(text.get(key)?)?, cursor.take_value()?));
        }
        Some(Self { text, members })
    }

    pub(crate) fn range(&self, key: &str) -> Option<Range<usize>> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, range)| range.clone())
    }

    /// The text of a member's value.
    pub(crate) fn get(&self, key: &str) -> Option<&'t str> {
        self.text.get(self.range(key)?)
    }

    /// The values of a member that occurs more than once, in a text that was not checked.
    pub(crate) fn get_all(&self, key: &str) -> impl Iterator<Item = &'t str> {
        let named = self.members.iter().filter(move |(name, _)| name == key);
        named.filter_map(|(_, range)| self.text.get(range.clone()))
    }

    /// A member that is a string, decoded.
    pub(crate) fn get_string(&self, key: &str) -> Option<String> {
        decode_string(self.get(key)?)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_ref())
    }
}

fn decode_key(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    match inner.contains('\\') {
        false => Some(Cow::Borrowed(inner)),
        true => decode_string(raw).map(Cow::Owned),
    }
}

pub(crate) fn decode_string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// A string as JSON text.
pub(crate) fn encode_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The texts of an array's items. None if the text is not an array.
pub(crate) fn read_items(text: &str) -> Option<Vec<&str>> {
    let mut cursor = JsonCursor::enter(text, b'[')?;
    let mut items = Vec::new();
    while cursor.skip_to_item(b']')? {
        items.push(text.get(cursor.take_value()?)?);
    }
    Some(items)
}

/// The value at the end of a path of member names.
pub(crate) fn find<'t>(text: &'t str, path: &[&str]) -> Option<&'t str> {
    path.iter().try_fold(text, |text, key| Members::read(text)?.get(key))
}

/// The text with another value in this range.
pub(crate) fn replace_range(text: &str, range: Range<usize>, value: &str) -> String {
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    [before.unwrap_or_default(), value, after.unwrap_or_default()].concat()
}

/// The object with a member set to this value: in place, or else as its last member.
pub(crate) fn set_member(object: &str, key: &str, value: &str) -> String {
    let Some(members) = Members::read(object) else { return object.to_owned() };
    if let Some(range) = members.range(key) {
        return replace_range(object, range, value);
    }
    let end = object.rfind('}').unwrap_or(object.len());
    let comma = if members.members.is_empty() { "" } else { "," };
    let member = format!("{comma}{}:{value}", encode_string(key));
    replace_range(object, end..end, &member)
}

/// The object without a member.
pub(crate) fn remove_member(object: &str, key: &str) -> String {
    let Some(members) = Members::read(object) else { return object.to_owned() };
    if members.range(key).is_none() {
        return object.to_owned();
    }
    let kept = members.members.iter().filter(|(name, _)| name != key);
    let kept: Vec<String> = kept
        .filter_map(|(name, range)| {
            Some(format!("{}:{}", encode_string(name), object.get(range.clone())?))
        })
        .collect();
    format!("{{{}}}", kept.join(","))
}

/// Sets a value at the end of a path, and creates the objects on the way.
pub(crate) fn set_at(object: &str, path: &[&str], value: &str) -> String {
    match path {
        [] => value.to_owned(),
        [key, rest @ ..] => {
            let inner = find(object, &[key]).filter(|inner| inner.starts_with('{'));
            set_member(object, key, &set_at(inner.unwrap_or("{}"), rest, value))
        }
    }
}

/// Reads checked JSON from left to right.
struct JsonCursor<'t> {
    bytes: &'t [u8],
    at: usize,
    is_first: bool,
}

impl<'t> JsonCursor<'t> {
    /// Starts after the opening bracket.
    fn enter(text: &'t str, bracket: u8) -> Option<Self> {
        let mut cursor = Self { bytes: text.as_bytes(), at: 0, is_first: true };
        cursor.expect(bracket)?;
        Some(cursor)
    }

    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.skip_blanks()? == byte;
        self.at += usize::from(found);
        found.then_some(())
    }

    /// Moves to the next item or key. False at the end.
    fn skip_to_item(&mut self, end: u8) -> Option<bool> {
        if self.skip_blanks()? == end {
            return Some(false);
        }
        if !std::mem::replace(&mut self.is_first, false) {
            self.expect(b',')?;
            self.skip_blanks()?;
        }
        Some(true)
    }

    /// The range of the next value.
    fn take_value(&mut self) -> Option<Range<usize>> {
        let first = self.skip_blanks()?;
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_nested()?,
            _ => self.skip_plain(),
        }
        Some(start..self.at)
    }

    fn skip_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn skip_plain(&mut self) {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
        while self.bytes.get(self.at).is_some_and(|byte| !ends(byte)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_keys_are_refused_at_any_depth_and_in_any_spelling() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"x":[{"b":{"c":1,"c":2}}]}"#,
            "{} {}",
            "",
            "[1,]",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        for text in
            [r#"{"a":{"a":1},"b":[{"a":2},{"a":2}]}"#, "18446744073709551616", "1e400", "[]"]
        {
            let is_in_range = !text.contains("e400");
            assert_eq!(check(text).is_ok(), is_in_range, "{text}");
        }
    }

    #[test]
    fn members_keep_the_text_of_their_values() {
        let text = r#" { "a" : 1.50 , "b\"c":"}\\" ,"d":[ {"e":"]"} ], "f":{} , "g":null}"#;
        let members = Members::read(text).unwrap();
        let read: Vec<_> = members.names().map(|n| (n, members.get(n).unwrap())).collect();
        let expected = [
            ("a", "1.50"),
            ("b\"c", r#""}\\""#),
            ("d", r#"[ {"e":"]"} ]"#),
            ("f", "{}"),
            ("g", "null"),
        ];
        assert_eq!(read, expected);
        assert!(Members::read("[1]").is_none());
        assert_eq!(Members::read("{}").unwrap().names().count(), 0);
        assert_eq!(read_items(r#"[1, "a,b", [2,3],{"x":1}]"#).unwrap().len(), 4);
        assert_eq!(read_items("[ ]").unwrap().len(), 0);
    }

    #[test]
    fn one_value_is_replaced_and_every_other_byte_stays() {
        let text = r#"{ "id": 1,  "x":1.0}"#;
        assert_eq!(set_member(text, "id", "\"z\""), r#"{ "id": "z",  "x":1.0}"#);
        assert_eq!(set_member(text, "new", "[]"), r#"{ "id": 1,  "x":1.0,"new":[]}"#);
        assert_eq!(set_member("{}", "a", "1"), r#"{"a":1}"#);
        assert_eq!(set_at("{}", &["a", "b/c"], "2"), r#"{"a":{"b/c":2}}"#);
        assert_eq!(set_at(r#"{"a":{"z":0}}"#, &["a", "b"], "2"), r#"{"a":{"z":0,"b":2}}"#);
        assert_eq!(remove_member(r#"{"a":1, "b":2}"#, "a"), r#"{"b":2}"#);
        assert_eq!(find(r#"{"a":{"b":[1]}}"#, &["a", "b"]), Some("[1]"));
    }
}
