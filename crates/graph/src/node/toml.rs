//! Converts the spanned tables of the `toml` crate.
//!
//! That crate refuses duplicate keys and reports several errors at once. Dates become strings.

use super::{
    DocumentNode, MapEntry, MapKey, NodeValue, nested_too_deep, number_out_of_range, parse_integer,
};
use crate::limits;
use crate::problem::{Problem, TextSpan};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn parse(text: &str) -> Result<DocumentNode, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<_> =
        errors.iter().take(limits::MAX_PROBLEMS).map(|error| convert_error(error, text)).collect();
    let value = convert_table(table.get_ref(), 1, &mut problems);
    drop_level_by_level(table.into_inner());
    let node = DocumentNode { span: TextSpan::new(0, text.len()), value };
    if problems.is_empty() { Ok(node) } else { Err(problems) }
}

fn convert_error(error: &toml::de::Error, text: &str) -> Problem {
    let span =
        error.span().map_or(TextSpan::at_offset(0), |range| TextSpan::new(range.start, range.end));
    match error.message() {
        "recursion limit" => nested_too_deep(span),
        "duplicate key" => {
            let message =
                format!("the key `{}` occurs twice", span.slice(text).unwrap_or_default());
            Problem::new(span, message, "keep one of the two")
        }
        other => {
            let help = "put strings in quotes, and the keys of a table below its `[header]`";
            Problem::new(span, format!("not readable as TOML: {other}"), help)
        }
    }
}

fn convert_table(table: &DeTable<'_>, depth: usize, problems: &mut Vec<Problem>) -> NodeValue {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table.iter() {
        let key_span = convert_span(key);
        if let Some(value) = convert_value(value, depth, problems) {
            let key = MapKey { span: key_span, name: key.get_ref().to_string() };
            entries.push(MapEntry { key, value });
        }
    }
    // The `toml` crate sorts by name.
    entries.sort_by_key(|entry| entry.key.span.start);
    NodeValue::Map(entries)
}

fn convert_span<T>(spanned: &Spanned<T>) -> TextSpan {
    let range = spanned.span();
    TextSpan::new(range.start, range.end)
}

fn convert_value(
    value: &Spanned<DeValue<'_>>,
    depth: usize,
    problems: &mut Vec<Problem>,
) -> Option<DocumentNode> {
    let span = convert_span(value);
    let kind = match value.get_ref() {
        DeValue::Boolean(flag) => Ok(NodeValue::Bool(*flag)),
        DeValue::Integer(int) => parse_integer(int.as_str(), int.radix())
            .ok_or_else(|| number_out_of_range(span, int.as_str())),
        DeValue::Float(float) => {
            parse_float(float.as_str()).ok_or_else(|| number_out_of_range(span, float.as_str()))
        }
        DeValue::String(text) => Ok(NodeValue::String(text.to_string())),
        DeValue::Datetime(date) => Ok(NodeValue::String(date.to_string())),
        DeValue::Array(_) | DeValue::Table(_) if depth == limits::MAX_DEPTH => {
            Err(nested_too_deep(span))
        }
        DeValue::Array(items) => Ok(NodeValue::List(
            items.iter().filter_map(|item| convert_value(item, depth + 1, problems)).collect(),
        )),
        DeValue::Table(table) => Ok(convert_table(table, depth + 1, problems)),
    };
    kind.map_err(|problem| problems.push(problem)).ok().map(|value| DocumentNode { span, value })
}

/// Accepts `inf` and `nan`, but refuses a number that is too large for a float.
fn parse_float(text: &str) -> Option<NodeValue> {
    let float: f64 = text.parse().ok()?;
    (!float.is_infinite() || text.ends_with("inf")).then_some(NodeValue::Float(float))
}

/// Drops a table without recursion.
///
/// Dotted keys in inline tables can nest thousands of levels within the limits of the `toml`
/// crate, and the recursive drop of such a table would overflow the stack.
fn drop_level_by_level(table: DeTable<'_>) {
    let mut rest = vec![DeValue::Table(table)];
    while let Some(value) = rest.pop() {
        match value {
            DeValue::Table(table) => rest.extend(table.into_iter().map(|(_, v)| v.into_inner())),
            DeValue::Array(items) => rest.extend(items.into_iter().map(Spanned::into_inner)),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_the_file_and_dates_become_strings() {
        let node = parse("z = 2026-01-05\na = 0x10\n[m]\nf = 1.5\n[b]\nl = [true, 'x']\n").unwrap();
        let names: Vec<_> = node.entries().unwrap().iter().map(|e| e.key.name.as_str()).collect();
        assert_eq!(names, ["z", "a", "m", "b"]);
        let expected = serde_json::json!(
            {"z": "2026-01-05", "a": 16, "m": {"f": 1.5}, "b": {"l": [true, "x"]}}
        );
        assert_eq!(node.to_json(), expected);
    }

    #[test]
    fn thousands_of_nested_levels_are_refused_without_a_stack_overflow() {
        let dots = ["a"; 79].join(".");
        let text = format!("[{dots}]\n{}z=1{}", format!("{dots}={{").repeat(79), "}".repeat(79));
        let problems = parse(&text).unwrap_err();
        assert_eq!(problems[0].message, "the file is nested deeper than 64 levels");
    }

    #[test]
    fn every_error_is_reported_with_its_span() {
        let text = "a = 1\na = 2\nb = \n";
        let problems = parse(text).unwrap_err();
        let places: Vec<_> = problems.iter().map(|p| p.span).collect();
        assert_eq!(places, [TextSpan::new(6, 7), TextSpan::new(16, 16)]);
    }
}
