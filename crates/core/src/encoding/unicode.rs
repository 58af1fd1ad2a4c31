//! Characters that a reader does not see.

/// The Unicode property Default_Ignorable_Code_Point: characters that a program displays as nothing.
/// It includes code points that are reserved for such characters. A test compares the table with the
/// Unicode data.
const DEFAULT_IGNORABLE: [(char, char); 17] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character is invisible or reorders its neighbours: the default-ignorable ones, line
/// separators, and the marks of interlinear annotations. Two texts that look the same must be the
/// same.
pub fn is_invisible(c: char) -> bool {
    // Most characters are below the first of the table.
    c >= '\u{ad}'
        && (DEFAULT_IGNORABLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_syntax::hir::{Class, HirKind};

    #[test]
    fn the_table_is_the_unicode_property() {
        let property = regex_syntax::parse(r"\p{Default_Ignorable_Code_Point}").unwrap();
        let HirKind::Class(Class::Unicode(class)) = property.kind() else { panic!("{property:?}") };
        let ranges: Vec<_> = class.ranges().iter().map(|r| (r.start(), r.end())).collect();
        assert_eq!(DEFAULT_IGNORABLE.as_slice(), ranges);
    }

    #[test]
    fn format_and_separator_characters_are_invisible() {
        // Prepended marks (`Cf`) such as U+0600 have a glyph.
        let invisible = regex_syntax::parse(r"[\p{Zl}\p{Zp}\p{Bidi_Control}]").unwrap();
        let HirKind::Class(Class::Unicode(class)) = invisible.kind() else { panic!() };
        for range in class.ranges() {
            assert!((range.start()..=range.end()).all(is_invisible), "{range:?}");
        }
        for c in ['a', ' ', '\u{a0}', 'ü', '今', '😀', '\u{600}', '\u{301}'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }
}
