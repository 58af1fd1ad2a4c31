//! Every value has its span, in all three formats, and every parser has limits.

use countersign_graph::limits;
use countersign_graph::node::{DocumentNode, Format, MapEntry, NodeValue, parse};
use countersign_graph::problem::{Problem, Problems};
use proptest::prelude::*;
use serde_json::json;

fn parse_node(text: &str, format: Format) -> DocumentNode {
    parse(text.as_bytes(), format).unwrap_or_else(|p| panic!("{p:?}\n{text}"))
}

fn parse_error(text: &[u8], format: Format) -> String {
    let problems = parse(text, format).expect_err("this was read");
    Problems::new("f", text, problems).to_string()
}

/// Collects the text of each scalar and key, in the order of the tree.
fn collect_pieces<'t>(node: &DocumentNode, text: &'t str, out: &mut Vec<&'t str>) {
    match &node.value {
        NodeValue::List(items) => items.iter().for_each(|item| collect_pieces(item, text, out)),
        NodeValue::Map(entries) => {
            for MapEntry { key, value } in entries {
                out.push(key.span.slice(text).unwrap());
                collect_pieces(value, text, out);
            }
        }
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Int(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => {
            out.push(node.span.slice(text).unwrap());
        }
    }
}

fn list_pieces(text: &str, format: Format) -> Vec<&str> {
    let mut out = Vec::new();
    collect_pieces(&parse_node(text, format), text, &mut out);
    out
}

#[test]
fn yaml_spans_are_right_after_accents_comments_and_windows_line_ends() {
    let text = "# größe\r\né: ü # ö\r\nc:\r\n  d: \"x y\"\r\n  e:\r\n  f: [1, 'ß']\r\n";
    let expected = ["é", "ü", "c", "d", "\"x y\"", "e", "", "f", "1", "'ß'"];
    assert_eq!(list_pieces(text, Format::Yaml), expected);
}

#[test]
fn a_yaml_value_starts_after_its_anchor_and_tag() {
    let text = "a: &x 2026-01-05\nb: !!str 12\nc: &m\n  d: 1\ne: *x\n";
    let expected = ["a", "2026-01-05", "b", "12", "c", "d", "1", "e", "2026-01-05"];
    assert_eq!(list_pieces(text, Format::Yaml), expected);
    let node = parse_node(text, Format::Yaml);
    assert_eq!(node.get("c").unwrap().span.slice(text), Some("d: 1"));
    assert_eq!(node.get("b").unwrap().value, NodeValue::String("12".into()));
}

#[test]
fn a_byte_order_mark_shifts_spans_and_changes_nothing_else() {
    for (text, format) in [
        ("\u{feff}{\"a\": 1}", Format::Json),
        ("\u{feff}a = 1\n", Format::Toml),
        ("\u{feff}a: 1\n", Format::Yaml),
    ] {
        assert_eq!(parse_node(text, format).to_json(), json!({"a": 1}), "{format:?}");
        assert_eq!(list_pieces(text, format).last(), Some(&"1"), "{format:?}");
    }
}

#[test]
fn the_same_content_is_the_same_value_in_every_format() {
    let json =
        r#"{"t": "x", "n": 3, "f": 0.5, "l": ["a", "b"], "m": {"k": true}, "d": "2026-01-05"}"#;
    let toml = "t = 'x'\nn = 3\nf = 0.5\nl = ['a', 'b']\nm = {k = true}\nd = 2026-01-05\n";
    let yaml = "t: x\nn: 3\nf: 0.5\nl: [a, b]\nm: {k: true}\nd: 2026-01-05\n";
    let expected = parse_node(json, Format::Json).to_json();
    assert_eq!(parse_node(toml, Format::Toml).to_json(), expected);
    assert_eq!(parse_node(yaml, Format::Yaml).to_json(), expected);
}

#[test]
fn integers_stay_integers_and_floats_without_a_json_form_become_strings() {
    let node = parse_node(
        "[1, 18446744073709551615, -9223372036854775808, 1.0, .nan, -.inf]",
        Format::Yaml,
    );
    let expected = json!([1, u64::MAX, i64::MIN, 1.0, "NaN", "-inf"]);
    assert_eq!(node.to_json(), expected);
    assert!(node.to_json()[0].is_i64());
}

#[test]
fn a_duplicate_key_is_refused_at_its_span() {
    let many: String = (0..20).map(|n| format!("  k{n}: 1\n")).collect();
    for (text, format, place) in [
        ("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}".to_owned(), Format::Json, "f:2:16: "),
        ("a = 1\n[b]\nc = 1\nc = 2\n".to_owned(), Format::Toml, "f:4:1: "),
        ("[b]\nc = 1\n[b]\nd = 1\n".to_owned(), Format::Toml, "f:3:2: "),
        ("a: 1\nb:\n  c: 1\n  'c': 2\n".to_owned(), Format::Yaml, "f:4:3: "),
        (format!("a:\n{many}  k7: 2\n"), Format::Yaml, "f:22:3: "),
    ] {
        let shown = parse_error(text.as_bytes(), format);
        assert!(shown.starts_with(place) && shown.contains("twice"), "{shown}\n{text}");
    }
}

#[test]
fn all_duplicates_are_reported_at_once() {
    let text = b"a: 1\na: 2\nb: {c: 1, c: 2}\n";
    let expected = "f:3:11: the key `c` occurs twice\nf:2:1: the key `a` occurs twice";
    assert_eq!(parse_error(text, Format::Yaml), expected);
}

#[test]
fn invalid_utf8_is_refused_with_its_offset() {
    for format in Format::ALL {
        let shown = parse_error(b"a: b\nc: \xff\n", format);
        assert_eq!(shown, "f:2:4: the byte at offset 8 is not UTF-8");
    }
}

#[test]
fn size_and_depth_are_limited_in_every_format() {
    for format in Format::ALL {
        let large = vec![b' '; limits::MAX_FILE_BYTES + 1];
        assert_eq!(
            parse_error(&large, format),
            "f:1:1: the file has 16777217 bytes; the limit is 16777216"
        );
    }
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}{}", open.repeat(depth), close.repeat(depth))
    };
    for (wrapped, levels, format) in [
        (["", ""], 64, Format::Json),
        (["", ""], 64, Format::Yaml),
        (["a = ", "\n"], 63, Format::Toml),
    ] {
        let file = |depth| format!("{}{}{}", wrapped[0], nested(depth, "[", "]"), wrapped[1]);
        assert!(parse(file(levels).as_bytes(), format).is_ok(), "{format:?}");
        for too_many in [levels + 1, 100, 100_000] {
            let shown = parse_error(file(too_many).as_bytes(), format);
            assert!(shown.contains("the file is nested deeper than 64 levels"), "{shown}");
        }
    }
    let block: String = (0..70).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(parse_error(block.as_bytes(), Format::Yaml).contains("nested deeper than 64 levels"));
}

#[test]
fn the_expansion_of_aliases_is_limited() {
    let mut wide = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let alias = format!("*a{}", n - 1);
        wide.push_str(&format!("a{n}: &a{n} [{}]\n", [alias.as_str(); 9].join(", ")));
    }
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), ["*a"; 1000].join(", "));
    for text in [wide, long] {
        let shown = parse_error(text.as_bytes(), Format::Yaml);
        assert!(shown.contains("aliases expand to more than 16777216 bytes"), "{shown}");
    }
    let deep = "a: &a [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n\
                b: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n";
    assert!(parse_error(deep.as_bytes(), Format::Yaml).contains("nested deeper than 64 levels"));
    let inside = "a: &a [*a]\n";
    assert!(
        parse_error(inside.as_bytes(), Format::Yaml).contains("is inside the value it refers to")
    );
}

#[test]
fn unsupported_yaml_is_refused() {
    for (text, expected) in [
        (
            "a: 1\n---\nb: 2\n",
            "f:2:1: a second document starts here, but a file may contain only one",
        ),
        ("a: !!binary x\n", "f:1:13: the tag `!!binary` is not supported"),
        ("? [a]\n: 1\n", "f:1:3: a key must be plain text"),
        (
            "a: 99999999999999999999\n",
            "f:1:4: the number `99999999999999999999` is too large to be kept exactly",
        ),
    ] {
        assert_eq!(parse_error(text.as_bytes(), Format::Yaml), expected);
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in r#"[\[\]{}",:a-c0-9=&*!|>?#%@'`~<\-. \t\r\nä]{0,60}"#) {
        for format in Format::ALL {
            let all_within = |problems: &[Problem]| problems.iter().all(|p| p.span.end <= text.len() + 1);
            match parse(text.as_bytes(), format) {
                Ok(node) => prop_assert!(node.span.slice(&text).is_some()),
                Err(problems) => prop_assert!(!problems.is_empty() && all_within(&problems)),
            }
        }
    }
}
