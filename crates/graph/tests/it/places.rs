//! Every value knows its place in the text, in all three formats, and every format is bounded.

use countersign_graph::limits;
use countersign_graph::node::{Format, MapEntry, Node, NodeValue, parse};
use countersign_graph::problem::{Problem, Problems};
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str, format: Format) -> Node {
    parse(text.as_bytes(), format).unwrap_or_else(|p| panic!("{p:?}\n{text}"))
}

fn refused(text: &[u8], format: Format) -> String {
    let problems = parse(text, format).expect_err("this was read");
    Problems::new("f", text, problems).to_string()
}

/// What stands at each scalar and key, in the order of the tree.
fn pieces<'t>(node: &Node, text: &'t str, out: &mut Vec<&'t str>) {
    match &node.value {
        NodeValue::List(items) => items.iter().for_each(|item| pieces(item, text, out)),
        NodeValue::Map(entries) => {
            for MapEntry { key, value } in entries {
                out.push(key.span.slice(text).unwrap());
                pieces(value, text, out);
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

fn pieces_of(text: &str, format: Format) -> Vec<&str> {
    let mut out = Vec::new();
    pieces(&read(text, format), text, &mut out);
    out
}

#[test]
fn yaml_places_hold_behind_accents_comments_and_windows_line_ends() {
    let text = "# größe\r\né: ü # ö\r\nc:\r\n  d: \"x y\"\r\n  e:\r\n  f: [1, 'ß']\r\n";
    let expected = ["é", "ü", "c", "d", "\"x y\"", "e", "", "f", "1", "'ß'"];
    assert_eq!(pieces_of(text, Format::Yaml), expected);
}

#[test]
fn a_yaml_value_begins_behind_its_anchor_and_tag() {
    let text = "a: &x 2026-01-05\nb: !!str 12\nc: &m\n  d: 1\ne: *x\n";
    let expected = ["a", "2026-01-05", "b", "12", "c", "d", "1", "e", "2026-01-05"];
    assert_eq!(pieces_of(text, Format::Yaml), expected);
    let node = read(text, Format::Yaml);
    assert_eq!(node.get("c").unwrap().span.slice(text), Some("d: 1"));
    assert_eq!(node.get("b").unwrap().value, NodeValue::String("12".into()));
}

#[test]
fn a_byte_order_mark_moves_places_and_changes_nothing_else() {
    for (text, format) in [
        ("\u{feff}{\"a\": 1}", Format::Json),
        ("\u{feff}a = 1\n", Format::Toml),
        ("\u{feff}a: 1\n", Format::Yaml),
    ] {
        assert_eq!(read(text, format).to_json(), json!({"a": 1}), "{format:?}");
        assert_eq!(pieces_of(text, format).last(), Some(&"1"), "{format:?}");
    }
}

#[test]
fn the_same_content_is_the_same_value_in_every_format() {
    let json =
        r#"{"t": "x", "n": 3, "f": 0.5, "l": ["a", "b"], "m": {"k": true}, "d": "2026-01-05"}"#;
    let toml = "t = 'x'\nn = 3\nf = 0.5\nl = ['a', 'b']\nm = {k = true}\nd = 2026-01-05\n";
    let yaml = "t: x\nn: 3\nf: 0.5\nl: [a, b]\nm: {k: true}\nd: 2026-01-05\n";
    let expected = read(json, Format::Json).to_json();
    assert_eq!(read(toml, Format::Toml).to_json(), expected);
    assert_eq!(read(yaml, Format::Yaml).to_json(), expected);
}

#[test]
fn integers_stay_integers_and_what_json_cannot_say_becomes_text() {
    let node =
        read("[1, 18446744073709551615, -9223372036854775808, 1.0, .nan, -.inf]", Format::Yaml);
    let expected = json!([1, u64::MAX, i64::MIN, 1.0, "NaN", "-inf"]);
    assert_eq!(node.to_json(), expected);
    assert!(node.to_json()[0].is_i64());
}

#[test]
fn a_key_that_occurs_twice_is_refused_at_its_place() {
    let many: String = (0..20).map(|n| format!("  k{n}: 1\n")).collect();
    for (text, format, place) in [
        ("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}".to_owned(), Format::Json, "f:2:16: "),
        ("a = 1\n[b]\nc = 1\nc = 2\n".to_owned(), Format::Toml, "f:4:1: "),
        ("[b]\nc = 1\n[b]\nd = 1\n".to_owned(), Format::Toml, "f:3:2: "),
        ("a: 1\nb:\n  c: 1\n  'c': 2\n".to_owned(), Format::Yaml, "f:4:3: "),
        (format!("a:\n{many}  k7: 2\n"), Format::Yaml, "f:22:3: "),
    ] {
        let shown = refused(text.as_bytes(), format);
        assert!(shown.starts_with(place) && shown.contains("twice"), "{shown}\n{text}");
    }
}

#[test]
fn all_duplicates_are_reported_at_once() {
    let text = b"a: 1\na: 2\nb: {c: 1, c: 2}\n";
    let expected = "f:3:11: the key `c` occurs twice\nf:2:1: the key `a` occurs twice";
    assert_eq!(refused(text, Format::Yaml), expected);
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_offset() {
    for format in Format::ALL {
        let shown = refused(b"a: b\nc: \xff\n", format);
        assert_eq!(shown, "f:2:4: the byte at offset 8 is not UTF-8");
    }
}

#[test]
fn size_and_depth_are_bounded_in_every_format() {
    for format in Format::ALL {
        let large = vec![b' '; limits::MAX_FILE_BYTES + 1];
        assert_eq!(
            refused(&large, format),
            "f:1:1: the file has 16777217 bytes, and 16777216 are read"
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
            let shown = refused(file(too_many).as_bytes(), format);
            assert!(shown.contains("the file is nested deeper than 64 levels"), "{shown}");
        }
    }
    let block: String = (0..70).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(refused(block.as_bytes(), Format::Yaml).contains("nested deeper than 64 levels"));
}

#[test]
fn aliases_cannot_blow_a_file_up() {
    let mut wide = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let alias = format!("*a{}", n - 1);
        wide.push_str(&format!("a{n}: &a{n} [{}]\n", [alias.as_str(); 9].join(", ")));
    }
    let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), ["*a"; 1000].join(", "));
    for text in [wide, long] {
        let shown = refused(text.as_bytes(), Format::Yaml);
        assert!(shown.contains("aliases expand to more than 16777216 bytes"), "{shown}");
    }
    let deep = "a: &a [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n\
                b: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n";
    assert!(refused(deep.as_bytes(), Format::Yaml).contains("nested deeper than 64 levels"));
    let inside = "a: &a [*a]\n";
    assert!(refused(inside.as_bytes(), Format::Yaml).contains("stands inside of what it names"));
}

#[test]
fn yaml_that_means_more_than_data_is_refused() {
    for (text, expected) in [
        ("a: 1\n---\nb: 2\n", "f:2:1: a second document begins here, and a file is one document"),
        ("a: !!binary x\n", "f:1:13: the tag `!!binary` is not read"),
        ("? [a]\n: 1\n", "f:1:3: a key must be plain text"),
        (
            "a: 99999999999999999999\n",
            "f:1:4: the number `99999999999999999999` is too large to be kept exactly",
        ),
    ] {
        assert_eq!(refused(text.as_bytes(), Format::Yaml), expected);
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_fall_over(text in r#"[\[\]{}",:a-c0-9=&*!|>?#%@'`~<\-. \t\r\nä]{0,60}"#) {
        for format in Format::ALL {
            let all_within = |problems: &[Problem]| problems.iter().all(|p| p.span.end <= text.len() + 1);
            match parse(text.as_bytes(), format) {
                Ok(node) => prop_assert!(node.span.slice(&text).is_some()),
                Err(problems) => prop_assert!(!problems.is_empty() && all_within(&problems)),
            }
        }
    }
}
