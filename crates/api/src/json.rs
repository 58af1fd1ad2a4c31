//! The schema of a field that takes any JSON, and a strict reader for nested objects.

use countersign_core::encoding::limits::ARGUMENT_DEPTH;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::Value;
use std::borrow::Cow;

/// Any JSON that has one canonical form.
pub struct Json;

/// Beyond this, a double cannot tell neighbouring whole numbers apart.
const EXACT: u64 = (1 << 53) - 1;
/// From here on a number is written in scientific notation.
const POWER: f64 = 1e21;

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let same = schemas.subschema_for::<Self>();
        let about = format!(
            "Any JSON, {ARGUMENT_DEPTH} levels deep at most. A whole number that a double cannot \
             hold is passed as a text."
        );
        json_schema!({
            "description": about,
            "anyOf": [
                {"type": ["null", "boolean", "string"]},
                {"type": "number", "anyOf": [
                    {"minimum": -(EXACT as i64), "maximum": EXACT},
                    {"minimum": POWER},
                    {"maximum": -POWER},
                ]},
                {"type": "array", "items": same},
                {"type": "object", "additionalProperties": same},
            ],
        })
    }
}

/// Reads an object or null. A derived reader would also take a list of the values, which the
/// documents do not allow.
pub(crate) fn deserialize_object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    match Option::<Value>::deserialize(deserializer)? {
        None => Ok(None),
        Some(value) if value.is_object() => T::deserialize(value).map(Some).map_err(Error::custom),
        Some(_) => Err(Error::custom("expected an object")),
    }
}
