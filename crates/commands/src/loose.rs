//! The loose parser, for deny rules: finds every command that a text could run.
//!
//! It may find commands that would never run, but must not miss one that could. It looks inside
//! groups, control flow, functions, substitutions, here-documents and comments. If it cannot parse
//! a text completely it says so, and a line with deny rules is denied. Allow rules use `strict`.

mod ansi;
mod expand;
mod quotes;
mod scan;

use crate::limits;

/// A word after quote removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) kind: WordKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WordKind {
    #[default]
    Literal,
    /// Contains an expansion, so its value is unknown.
    Dynamic,
}

/// Shell keywords after which a command starts.
pub(crate) const COMMAND_OPENERS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "and", "or",
    "not", "begin", "always", "coproc",
];

/// What the parser found in a text.
#[derive(Debug, Default)]
pub(crate) struct LooseScan {
    pub(crate) commands: Vec<Vec<Word>>,
    /// The targets of redirections.
    pub(crate) redirect_targets: Vec<Word>,
    /// Texts to scan in turn: backticks, here-documents, here-strings, comments.
    pub(crate) nested_texts: Vec<String>,
    /// Why the text could not be parsed completely, if so.
    pub(crate) incomplete: Option<&'static str>,
}

pub(crate) fn scan(text: &str) -> LooseScan {
    let mut scanner = scan::Scanner::new(text);
    scanner.scan_list(0);
    scanner.found
}

impl Word {
    pub(crate) fn is_literal(&self) -> bool {
        self.kind == WordKind::Literal
    }
}

pub(super) const TOO_DEEP: &str = "it is nested more than 8 deep";
pub(super) const UNCLOSED: &str = "something in it is not closed";

pub(super) const fn is_too_deep(depth: usize) -> bool {
    depth > limits::MAX_NESTING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_commands(text: &str) -> Vec<String> {
        let scanned = scan(text);
        let join = |words: &Vec<Word>| {
            words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        scanned.commands.iter().map(join).collect()
    }

    #[test]
    fn commands_are_found_wherever_they_hide() {
        for text in [
            "a; rm x",
            "a&&rm x",
            "a|rm x",
            "a&rm x",
            "a\nrm x",
            "(rm x)",
            "a $(rm x)",
            "a \"$(rm x)\"",
            "a ${b:-$(rm x)}",
            "a \"${b:-$(rm x)}\"",
            "a <(rm x)",
            "f() { rm x; }",
            "case x in y) rm x;; esac",
            "a $(case x in y) rm x;; esac)",
            "a $((1)); rm x",
            "r''m x",
            "'r'\"m\" x",
            "r\\\nm x",
            "\\rm x",
            "$'r\\x6d' x",
            "$'\\162m' x",
            "$\"rm\" x",
            "a <<E\nit's\nE\nrm x",
            "a <<'E'\n$(\nE\nrm x",
            "a <<-E\n\tit's\n\tE\nrm x",
            "a # it's\nrm x",
            "a >f; rm x",
            "a 2>&1; rm x",
            "a $(b $(c $(rm x)))",
            "a;rm x;;b",
        ] {
            assert!(
                list_commands(text).iter().any(|command| command.ends_with("rm x")),
                "{text:?}: {:?}",
                list_commands(text)
            );
        }
    }

    #[test]
    fn nested_texts_are_returned_for_scanning() {
        for (text, inside) in [
            ("a `rm x`", "rm x"),
            ("a \"`rm \\\"x\\\"`\"", "rm \"x\""),
            ("a <<E\nrm x\nE", "rm x\n"),
            ("a <<< 'rm x'", "rm x"),
            ("a # rm x", " rm x"),
        ] {
            assert_eq!(scan(text).nested_texts, [inside], "{text:?}");
        }
    }

    #[test]
    fn a_word_with_an_expansion_is_not_literal() {
        for text in
            ["$x", "${x}", "r*", "r?", "[r]m", "~/x", "{a,b}", "$(x)", "`x`", "a$1", "r$'m'$x"]
        {
            let scanned = scan(text);
            let word = scanned.commands.last().and_then(|words| words.first());
            assert!(word.is_some_and(|word| !word.is_literal()), "{text}");
        }
        assert!(scan("find . {} a$").commands[0].iter().all(Word::is_literal));
    }

    #[test]
    fn an_unclosed_text_is_reported_as_incomplete() {
        for text in ["a 'b", "a \"b", "a $(b", "a ${b", "a `b", "((((((((( a", "a <<E\nb"] {
            assert!(scan(text).incomplete.is_some(), "{text}");
        }
        assert_eq!(scan("a 'b' \"c\" $(d) ${e} `f`").incomplete, None);
    }
}
