//! Makes text from files and arguments safe to print on a terminal.
//!
//! Control characters, escape sequences, characters that reorder text and invisible characters
//! become visible escapes. Everything printed for people goes through here.

use crate::limits;
use countersign_card::{escape_for_display, is_unsafe_to_display};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// Escapes what is unsafe to display, and shortens a very long text.
pub fn sanitize(text: &str) -> String {
    let start: String = text.chars().take(limits::MAX_TEXT_CHARS).collect();
    let mut shown = escape_for_display(&start);
    let more = text.chars().skip(limits::MAX_TEXT_CHARS).count();
    if more > 0 {
        shown.push_str(&format!("… ({more} more characters)"));
    }
    shown
}

/// The number of terminal columns of a sanitized text.
pub(crate) fn display_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// One line of JSON with the same characters escaped, which does not change its meaning.
pub(crate) fn json_line(value: &Value) -> String {
    let mut line = String::new();
    for c in value.to_string().chars() {
        if is_unsafe_to_display(c) {
            // JSON is ASCII outside of strings, so this is inside a string.
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
        assert_eq!(sanitize(given), shown);
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = r"Grüße, 今日は, C:\temp `x`";
        assert_eq!(sanitize(text), text);
    }

    #[test]
    fn a_very_long_text_is_shortened_and_says_so() {
        let shown = sanitize(&"x".repeat(10_000_000));
        assert!(shown.ends_with("x… (9999600 more characters)"), "{}", shown.len());
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = json!({"a\u{202e}": "\u{e0041}\u{1b}ü"});
        let line = json_line(&value);
        assert_eq!(line, "{\"a\\u202e\":\"\\udb40\\udc41\\u001bü\"}\n");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
