//! Where the words of a line end.

use super::*;

#[test]
fn each_word_ends_where_another_can_be_inserted() {
    for (line, expected) in [
        ("grep -rn 'a b' . | head", vec!["grep| -rn| 'a b'| .|", "head|"]),
        ("cd a && rg \"x\" b 2>/dev/null", vec!["cd| a|", "rg| \"x\"| b|"]),
        ("for f in a b; do cat $f; done", vec!["cat| $f|", "cat| $f|"]),
        ("! true", vec!["true|"]),
    ] {
        let ends = find_word_ends(line).unwrap_or_default();
        let mark = |ends: &Vec<usize>| {
            let mut from = line.get(..ends[0]).unwrap().rfind(' ').map_or(0, |at| at + 1);
            let mut text = String::new();
            for end in ends {
                text.push_str(line.get(from..*end).unwrap());
                text.push('|');
                from = *end;
            }
            text
        };
        assert_eq!(ends.iter().map(mark).collect::<Vec<_>>(), expected, "{line}");
    }
}
