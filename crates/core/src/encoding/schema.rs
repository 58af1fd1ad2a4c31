//! JSON Schemas for names and ids, for API documents, with the same bounds that parsing enforces.
//!
//! Only compiled with the feature `schema`.

/// Describes a type that is read from text.
macro_rules! text {
    ($type:ident, $what:expr, $form:expr) => {
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema: schemars::Schema = $form;
                schema.insert("description".to_owned(), $what.into());
                schema
            }
        }
    };
}
pub(crate) use text;

#[cfg(feature = "schema")]
mod schemas {
    use crate::encoding::limits::NAME_BYTES;
    use schemars::{Schema, json_schema};

    /// Control characters and invisible characters. Those beyond the first plane are missing, because
    /// not every regular expression engine can express them.
    const INVISIBLE: &str = r"\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb";
    const BLANKS: &str = r"\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000";

    fn string_schema(pattern: &str) -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": NAME_BYTES, "pattern": pattern,
        })
    }

    pub(crate) fn name() -> Schema {
        string_schema(&format!("^[^{INVISIBLE}{BLANKS}]+$"))
    }

    /// Two names with a blank between them.
    pub(crate) fn two_names() -> Schema {
        let one = format!("[^{INVISIBLE}{BLANKS}]+");
        let longest = NAME_BYTES.saturating_mul(2).saturating_add(1);
        json_schema!({
            "type": "string", "minLength": 3, "maxLength": longest, "pattern": format!("^{one} {one}$"),
        })
    }

    pub(crate) fn name_with_blanks() -> Schema {
        string_schema(&format!("^[^{INVISIBLE}]+$"))
    }

    pub(crate) fn action() -> Schema {
        string_schema(&format!(r"^[^.{INVISIBLE}{BLANKS}]+\.[^{INVISIBLE}{BLANKS}]+$"))
    }

    pub(crate) fn id(prefix: &str) -> Schema {
        json_schema!({"type": "string", "pattern": format!("^{prefix}[0-9a-f]{{32}}$")})
    }

    pub(crate) fn digest() -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
    }
}

#[cfg(feature = "schema")]
pub(crate) use schemas::{action, digest, id, name, name_with_blanks, two_names};
