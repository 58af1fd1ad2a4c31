//! TOML, from the `toml` crate's spanned tables.
//!
//! The crate refuses duplicate keys and reports every error it can. Local dates become texts.

use super::{Entry, Key, Kind, Node, beyond_range, integer, too_deep};
use crate::limits;
use crate::problem::{Problem, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<_> =
        errors.iter().take(limits::PROBLEMS).map(|error| problem(error, text)).collect();
    let value = map(table.get_ref(), 1, &mut problems);
    dismantle(table.into_inner());
    let node = Node { span: Span::new(0, text.len()), value };
    if problems.is_empty() { Ok(node) } else { Err(problems) }
}

fn problem(error: &toml::de::Error, text: &str) -> Problem {
    let span = error.span().map_or(Span::at(0), |range| Span::new(range.start, range.end));
    match error.message() {
        "recursion limit" => too_deep(span),
        "duplicate key" => {
            let message = format!("the key `{}` occurs twice", span.of(text).unwrap_or_default());
            Problem::new(span, message, "keep one of the two")
        }
        other => {
            let help = "texts stand in quotes, and a table's keys stand under its `[header]`";
            Problem::new(span, format!("not readable as TOML: {other}"), help)
        }
    }
}

fn map(table: &DeTable<'_>, depth: usize, problems: &mut Vec<Problem>) -> Kind {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table.iter() {
        let key_span = span(key);
        if let Some(value) = node(value, depth, problems) {
            let key = Key { span: key_span, name: key.get_ref().to_string() };
            entries.push(Entry { key, value });
        }
    }
    // The crate sorts by name.
    entries.sort_by_key(|entry| entry.key.span.start);
    Kind::Map(entries)
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize, problems: &mut Vec<Problem>) -> Option<Node> {
    let span = span(value);
    let kind = match value.get_ref() {
        DeValue::Boolean(flag) => Ok(Kind::Bool(*flag)),
        DeValue::Integer(int) => {
            integer(int.as_str(), int.radix()).ok_or_else(|| beyond_range(span, int.as_str()))
        }
        DeValue::Float(float) => {
            float_of(float.as_str()).ok_or_else(|| beyond_range(span, float.as_str()))
        }
        DeValue::String(text) => Ok(Kind::String(text.to_string())),
        DeValue::Datetime(date) => Ok(Kind::String(date.to_string())),
        DeValue::Array(_) | DeValue::Table(_) if depth == limits::DEPTH => Err(too_deep(span)),
        DeValue::Array(items) => Ok(Kind::List(
            items.iter().filter_map(|item| node(item, depth + 1, problems)).collect(),
        )),
        DeValue::Table(table) => Ok(map(table, depth + 1, problems)),
    };
    kind.map_err(|problem| problems.push(problem)).ok().map(|value| Node { span, value })
}

/// `inf` and `nan` may be written; a number too large for a float is none.
fn float_of(written: &str) -> Option<Kind> {
    let float: f64 = written.parse().ok()?;
    (!float.is_infinite() || written.ends_with("inf")).then_some(Kind::Float(float))
}

/// Takes a table apart level by level.
///
/// Dotted keys inside of inline tables nest thousands of levels within the crate's own limits,
/// and dropping such a table as it stands would exhaust the stack.
fn dismantle(table: DeTable<'_>) {
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
    fn keys_keep_the_order_of_the_file_and_dates_become_texts() {
        let node = parse("z = 2026-01-05\na = 0x10\n[m]\nf = 1.5\n[b]\nl = [true, 'x']\n").unwrap();
        let names: Vec<_> = node.entries().unwrap().iter().map(|e| e.key.name.as_str()).collect();
        assert_eq!(names, ["z", "a", "m", "b"]);
        let expected = serde_json::json!(
            {"z": "2026-01-05", "a": 16, "m": {"f": 1.5}, "b": {"l": [true, "x"]}}
        );
        assert_eq!(node.to_json(), expected);
    }

    #[test]
    fn thousands_of_levels_in_a_few_lines_are_refused_and_not_fatal() {
        let dots = ["a"; 79].join(".");
        let text = format!("[{dots}]\n{}z=1{}", format!("{dots}={{").repeat(79), "}".repeat(79));
        let problems = parse(&text).unwrap_err();
        assert_eq!(problems[0].message, "the file is nested deeper than 64 levels");
    }

    #[test]
    fn every_error_is_reported_with_its_place() {
        let text = "a = 1\na = 2\nb = \n";
        let problems = parse(text).unwrap_err();
        let places: Vec<_> = problems.iter().map(|p| p.span).collect();
        assert_eq!(places, [Span::new(6, 7), Span::new(16, 16)]);
    }
}
