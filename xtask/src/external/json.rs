//! Values deep inside JSON. What is not there is `null`, which equals nothing that is expected.

use serde_json::Value;

static NOTHING: Value = Value::Null;

/// The value at these keys. An array is entered at its first item with `0`.
pub fn value_at<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter().fold(value, |value, key| {
        let inner = match value {
            Value::Array(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            _ => value.get(key),
        };
        inner.unwrap_or(&NOTHING)
    })
}

/// The text at these keys, empty if there is none.
pub fn text_at<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value_at(value, path).as_str().unwrap_or_default()
}

pub fn items_at<'v>(value: &'v Value, path: &[&str]) -> &'v [Value] {
    value_at(value, path).as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_found_or_null() {
        let value = json!({"a": [{"b": "text"}]});
        assert_eq!(text_at(&value, &["a", "0", "b"]), "text");
        assert_eq!(value_at(&value, &["a", "1", "b"]), &Value::Null);
        assert_eq!(items_at(&value, &["a"]).len(), 1);
        assert!(items_at(&value, &["b"]).is_empty());
    }
}
