//! Text from files and arguments, made fit for a terminal.
//!
//! Control characters, escape sequences, characters that reorder their neighbours and those that
//! are drawn as nothing become visible escapes. Everything printed for people goes through here.

use crate::limits;
use countersign_card::{escape_for_display, is_unsafe_to_display};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// The text as it may be shown, shortened if it is very long.
pub(crate) fn plain(text: &str) -> String {
    let some: String = text.chars().take(limits::SHOWN).collect();
    let mut shown = escape_for_display(&some);
    let more = text.chars().skip(limits::SHOWN).count();
    if more > 0 {
        shown.push_str(&format!("… ({more} more characters)"));
    }
    shown
}

/// How many columns the text takes on a terminal, once it is plain.
pub(crate) fn width(shown: &str) -> usize {
    UnicodeWidthStr::width(shown)
}

/// One line of JSON in which such characters are escaped too; it means the same.
pub(crate) fn json(value: &Value) -> String {
    let mut line = String::new();
    for c in value.to_string().chars() {
        if is_unsafe_to_display(c) {
            // Outside of strings JSON is ASCII, so this stands inside of one.
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                line.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            line.push(c);
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_could_deceive_a_reader_becomes_visible() {
        let given = "a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}";
        let shown = r"a\u{1b}[31mb\u{202e}c\u{200b}d\ne\tf\u{7f}\u{9b}\u{3164}";
        assert_eq!(plain(given), shown);
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = r"Grüße, 今日は, C:\temp `x`";
        assert_eq!(plain(text), text);
    }

    #[test]
    fn a_very_long_text_is_shortened_and_says_so() {
        let shown = plain(&"x".repeat(10_000_000));
        assert!(shown.ends_with("x… (9999600 more characters)"), "{}", shown.len());
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = json!({"a\u{202e}": "\u{e0041}\u{1b}ü"});
        let line = json(&value);
        assert_eq!(line, "{\"a\\u202e\":\"\\udb40\\udc41\\u001bü\"}\n");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
