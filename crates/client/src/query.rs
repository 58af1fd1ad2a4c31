//! Query strings of the wire types.

use crate::ClientError;
use countersign_api::paths::percent_encode;
use serde::Serialize;
use serde_json::Value;

/// Appends the fields of a flat type to a path. Null fields are left out.
pub(crate) fn with_query(path: &str, query: &impl Serialize) -> Result<String, ClientError> {
    let fields = match serde_json::to_value(query) {
        Ok(Value::Object(fields)) => fields,
        Ok(other) => return Err(ClientError::Unwritable(format!("`{other}` is not a query"))),
        Err(error) => return Err(ClientError::Unwritable(error.to_string())),
    };
    let pairs = fields.iter().filter_map(|(name, value)| match value {
        Value::Null => None,
        Value::String(text) => Some(format!("{name}={}", percent_encode(text))),
        other => Some(format!("{name}={}", percent_encode(&other.to_string()))),
    });
    let pairs: Vec<String> = pairs.collect();
    Ok(if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_api::{EventsQuery, LedgerPosition, RequestsQuery};
    use countersign_core::model::names::SurfaceName;

    #[test]
    fn fields_without_a_value_are_left_out() {
        assert_eq!(with_query("/x", &EventsQuery::default()).unwrap(), "/x");
        let query = EventsQuery {
            from: LedgerPosition::new(7),
            surface: Some(SurfaceName::parse("a&b").unwrap()),
        };
        assert_eq!(with_query("/x", &query).unwrap(), "/x?from=7&surface=a%26b");
        assert_eq!(with_query("/x", &RequestsQuery::default()).unwrap(), "/x?limit=100");
    }
}
