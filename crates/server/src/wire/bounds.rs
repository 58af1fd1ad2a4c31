//! Texts, lists and numbers with their bounds, so that a body and its document cannot differ.

use countersign_core::model::time::Time;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// A text of at most so many characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Text<const MOST: usize>(String);

impl<const MOST: usize> Text<MOST> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MOST: usize> From<Text<MOST>> for String {
    fn from(text: Text<MOST>) -> Self {
        text.0
    }
}

impl<'de, const MOST: usize> Deserialize<'de> for Text<MOST> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        match text.chars().nth(MOST) {
            None => Ok(Self(text)),
            Some(_) => Err(D::Error::custom(format!("longer than {MOST} characters"))),
        }
    }
}

impl<const MOST: usize> JsonSchema for Text<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Text{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "maxLength": MOST})
    }
}

/// A list of at most so many things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct BoundedList<T, const MOST: usize>(Vec<T>);

impl<T, const MOST: usize> Default for BoundedList<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MOST: usize> From<BoundedList<T, MOST>> for Vec<T> {
    fn from(few: BoundedList<T, MOST>) -> Self {
        few.0
    }
}

impl<'de, T: DeserializeOwned, const MOST: usize> Deserialize<'de> for BoundedList<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let list = Vec::deserialize(reader)?;
        match list.len() > MOST {
            false => Ok(Self(list)),
            true => Err(D::Error::custom(format!("more than {MOST} in one list"))),
        }
    }
}

impl<T: JsonSchema, const MOST: usize> JsonSchema for BoundedList<T, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Few{MOST}{}", T::schema_name()).into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let items = schemas.subschema_for::<T>();
        json_schema!({"type": "array", "items": items, "maxItems": MOST})
    }
}

/// A whole number from 0 to this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundedInt<const MOST: u64>(u64);

/// A time to wait, of a day at most.
pub type Millis = BoundedInt<86_400_000>;

impl<const MOST: u64> BoundedInt<MOST> {
    pub fn number(self) -> u64 {
        self.0
    }

    pub fn millis(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}

impl<'de, const MOST: u64> Deserialize<'de> for BoundedInt<MOST> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        // `1.0` is a whole number, too, to whoever wrote it.
        let whole = |n: &f64| n.fract() == 0.0 && (0.0..=MOST as f64).contains(n);
        match value.as_f64().filter(whole) {
            Some(number) => Ok(Self(number as u64)),
            None => Err(D::Error::custom(format!("`{value}` is no whole number from 0 to {MOST}"))),
        }
    }
}

impl<const MOST: u64> JsonSchema for BoundedInt<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Whole{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": MOST})
    }
}

/// A place in the ledger, as far as every reader of JSON can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPosition(u64);

impl LedgerPosition {
    const LAST: u64 = (1 << 53) - 1;

    pub fn number(self) -> u64 {
        self.0
    }

    /// None beyond the last one.
    pub fn at(number: u64) -> Option<Self> {
        (number <= Self::LAST).then_some(Self(number))
    }
}

impl<'de> Deserialize<'de> for LedgerPosition {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(reader)?;
        let far = || D::Error::custom(format!("`{number}` is beyond the place {}", Self::LAST));
        Self::at(number).ok_or_else(far)
    }
}

impl JsonSchema for LedgerPosition {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": Self::LAST})
    }
}

/// How sure somebody is, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fraction(f64);

impl Fraction {
    pub fn number(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(reader)?;
        match (0.0..=1.0).contains(&number) {
            true => Ok(Self(number)),
            false => Err(D::Error::custom(format!("`{number}` is not a number from 0 to 1"))),
        }
    }
}

impl JsonSchema for Fraction {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 1})
    }
}

/// An instant, as text: `2026-01-05T09:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(pub Time);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        writer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = String::deserialize(reader)?;
        let time = Time::parse(&text).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is no instant like 2026-01-05T09:00:00Z"))
        });
        time.map(Self)
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "At".into()
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
    fn a_text_and_a_list_end_where_their_bounds_are() {
        assert!(from_value::<Text<3>>(json!("äöü")).is_ok());
        assert!(from_value::<Text<3>>(json!("äöü!")).is_err());
        assert!(from_value::<BoundedList<u8, 2>>(json!([1, 2])).is_ok());
        assert!(from_value::<BoundedList<u8, 2>>(json!([1, 2, 3])).is_err());
    }

    #[test]
    fn a_time_to_wait_is_whole_and_of_a_day_at_most() {
        for fine in [json!(0), json!(1.0), json!(86_400_000)] {
            assert!(from_value::<Millis>(fine.clone()).is_ok(), "{fine}");
        }
        for wrong in [json!(-1), json!(0.5), json!(86_400_001), json!("5"), json!(null)] {
            assert!(from_value::<Millis>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
