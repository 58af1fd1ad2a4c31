//! Numbers with their bounds.

use crate::bounds::OutOfBounds;
use countersign_core::model::time::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// Describes a type as one schema that is written where it is used.
macro_rules! inline_schema {
    ($type:ident, $schema:expr) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

/// A whole number from 0 to `MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BoundedInt<const MAX: u64>(u64);

/// Milliseconds to wait, a day at most.
pub type Millis = BoundedInt<86_400_000>;

impl<const MAX: u64> BoundedInt<MAX> {
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Millis {
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl<const MAX: u64> TryFrom<u64> for BoundedInt<MAX> {
    type Error = OutOfBounds;

    fn try_from(number: u64) -> Result<Self, OutOfBounds> {
        let error = || OutOfBounds::new(format!("`{number}` is more than {MAX}"));
        (number <= MAX).then_some(Self(number)).ok_or_else(error)
    }
}

impl<'de, const MAX: u64> Deserialize<'de> for BoundedInt<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // Some languages write a whole number as `1.0`.
        let is_whole = |n: &f64| n.fract() == 0.0 && (0.0..=MAX as f64).contains(n);
        match value.as_f64().filter(is_whole) {
            Some(number) => Ok(Self(number as u64)),
            None => {
                Err(D::Error::custom(format!("`{value}` is not a whole number from 0 to {MAX}")))
            }
        }
    }
}

impl<const MAX: u64> JsonSchema for BoundedInt<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("BoundedInt{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": MAX})
    }
}

/// Seconds that a grant lasts, a year at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seconds(i64);

impl Seconds {
    const MAX: i64 = 366 * 86_400;

    pub fn span(self) -> Span {
        Span::seconds(self.0)
    }
}

impl TryFrom<i64> for Seconds {
    type Error = OutOfBounds;

    fn try_from(seconds: i64) -> Result<Self, OutOfBounds> {
        let error =
            || OutOfBounds::new(format!("`{seconds}` seconds are not between 1 and {}", Self::MAX));
        (1..=Self::MAX).contains(&seconds).then_some(Self(seconds)).ok_or_else(error)
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let whole = value.as_f64().filter(|n| n.fract() == 0.0);
        match whole.filter(|n| (1.0..=Self::MAX as f64).contains(n)) {
            Some(seconds) => Ok(Self(seconds as i64)),
            None => Err(D::Error::custom(format!(
                "`{value}` is not a whole number of seconds from 1 to {}",
                Self::MAX
            ))),
        }
    }
}

inline_schema!(Seconds, json_schema!({"type": "integer", "minimum": 1, "maximum": Self::MAX}));

/// How many entries a page holds: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PageSize(usize);

impl PageSize {
    pub const MAX: usize = 500;

    pub const fn number(self) -> usize {
        self.0
    }

    /// The nearest size that is allowed.
    pub fn clamp(number: usize) -> Self {
        Self(number.clamp(1, Self::MAX))
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self(100)
    }
}

impl<'de> Deserialize<'de> for PageSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = usize::deserialize(deserializer)?;
        match (1..=Self::MAX).contains(&number) {
            true => Ok(Self(number)),
            false => Err(D::Error::custom(format!("not a number from 1 to {}", Self::MAX))),
        }
    }
}

inline_schema!(PageSize, json_schema!({"type": "integer", "minimum": 1, "maximum": Self::MAX}));

/// A line of a text, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineNumber(usize);

impl LineNumber {
    pub const MAX: usize = 1_000_000_000;

    pub const fn number(self) -> usize {
        self.0
    }

    pub fn new(number: usize) -> Option<Self> {
        (number <= Self::MAX).then_some(Self(number))
    }
}

impl<'de> Deserialize<'de> for LineNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let error = || D::Error::custom(format!("not a number from 0 to {}", Self::MAX));
        Self::new(usize::deserialize(deserializer)?).ok_or_else(error)
    }
}

inline_schema!(LineNumber, json_schema!({"type": "integer", "minimum": 0, "maximum": Self::MAX}));

/// A position in the ledger, up to the largest whole number that every JSON reader can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerPosition(u64);

impl LedgerPosition {
    const MAX: u64 = (1 << 53) - 1;

    pub const fn number(self) -> u64 {
        self.0
    }

    /// None beyond the last one.
    pub fn new(number: u64) -> Option<Self> {
        (number <= Self::MAX).then_some(Self(number))
    }
}

impl<'de> Deserialize<'de> for LedgerPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let error = || D::Error::custom(format!("`{number}` is beyond position {}", Self::MAX));
        Self::new(number).ok_or_else(error)
    }
}

inline_schema!(
    LedgerPosition,
    json_schema!({"type": "integer", "minimum": 0, "maximum": Self::MAX})
);

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fraction(f64);

impl Fraction {
    pub const fn number(self) -> f64 {
        self.0
    }

    /// None if the number is not from 0 to 1.
    pub fn new(number: f64) -> Option<Self> {
        (0.0..=1.0).contains(&number).then_some(Self(number))
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let error = || D::Error::custom(format!("`{number}` is not a number from 0 to 1"));
        Self::new(number).ok_or_else(error)
    }
}

inline_schema!(Fraction, json_schema!({"type": "number", "minimum": 0, "maximum": 1}));

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_waiting_time_is_whole_and_a_day_at_most() {
        for valid in [json!(0), json!(1.0), json!(86_400_000)] {
            assert!(from_value::<Millis>(valid.clone()).is_ok(), "{valid}");
        }
        for invalid in [json!(-1), json!(0.5), json!(86_400_001), json!("5"), json!(null)] {
            assert!(from_value::<Millis>(invalid.clone()).is_err(), "{invalid}");
        }
    }
}
