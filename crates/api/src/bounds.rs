//! Texts, lists and instants that check their bounds when they are made and when they are read.
//! The schema shows the same bounds, so a body and its document cannot differ.

use countersign_core::model::time::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A value does not fit into its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds(String);

impl OutOfBounds {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OutOfBounds {}

/// A text of at most `MAX` characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = OutOfBounds;

    fn try_from(text: String) -> Result<Self, OutOfBounds> {
        match text.chars().nth(MAX) {
            None => Ok(Self(text)),
            Some(_) => Err(OutOfBounds::new(format!("longer than {MAX} characters"))),
        }
    }
}

impl<const MAX: usize> TryFrom<&str> for Text<MAX> {
    type Error = OutOfBounds;

    fn try_from(text: &str) -> Result<Self, OutOfBounds> {
        text.to_owned().try_into()
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.0
    }
}

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Text{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "maxLength": MAX})
    }
}

/// A list of at most `MAX` values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct BoundedList<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> BoundedList<T, MAX> {
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T, const MAX: usize> Default for BoundedList<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> TryFrom<Vec<T>> for BoundedList<T, MAX> {
    type Error = OutOfBounds;

    fn try_from(list: Vec<T>) -> Result<Self, OutOfBounds> {
        match list.len() > MAX {
            false => Ok(Self(list)),
            true => Err(OutOfBounds::new(format!("more than {MAX} in one list"))),
        }
    }
}

impl<T, const MAX: usize> From<BoundedList<T, MAX>> for Vec<T> {
    fn from(list: BoundedList<T, MAX>) -> Self {
        list.0
    }
}

impl<'de, T: DeserializeOwned, const MAX: usize> Deserialize<'de> for BoundedList<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for BoundedList<T, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("BoundedList{MAX}{}", T::schema_name()).into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let items = schemas.subschema_for::<T>();
        json_schema!({"type": "array", "items": items, "maxItems": MAX})
    }
}

/// An instant, as text: `2026-01-05T09:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub Time);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = Time::parse(&text).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not an instant like 2026-01-05T09:00:00Z"))
        });
        time.map(Self)
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
        json_schema!({"type": "string", "format": "date-time", "pattern": pattern})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_text_and_a_list_end_at_their_bounds() {
        assert!(from_value::<Text<3>>(json!("äöü")).is_ok());
        assert!(from_value::<Text<3>>(json!("äöü!")).is_err());
        assert!(from_value::<BoundedList<u8, 2>>(json!([1, 2])).is_ok());
        assert!(from_value::<BoundedList<u8, 2>>(json!([1, 2, 3])).is_err());
    }

    #[test]
    fn a_value_that_was_made_here_is_bounded_like_one_that_was_read() {
        assert_eq!(Text::<3>::try_from("abc").map(String::from), Ok("abc".to_owned()));
        assert!(Text::<3>::try_from("abcd").is_err());
        assert!(BoundedList::<u8, 2>::try_from(vec![1, 2, 3]).is_err());
    }
}
