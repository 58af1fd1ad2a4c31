//! The loose reader: every command that any reading of a text could reach.
//!
//! It may find commands that would never run; it must not overlook one that could. Groups, control
//! flow, functions, substitutions, here-documents and comments are all taken apart. What it cannot
//! follow to the end it says, and then a deny rule holds. Allow rules do not use it, see `strict`.

mod ansi;
mod expand;
mod quotes;
mod scan;

use crate::limits;

/// A word after quote removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Literal,
    /// Something in it is expanded: what it becomes is not known.
    Dynamic,
}

/// Words of shells after which a command begins.
pub(crate) const OPENERS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "and", "or",
    "not", "begin", "always", "coproc",
];

/// What a text holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) commands: Vec<Vec<Word>>,
    /// Files that are redirected from or to.
    pub(crate) targets: Vec<Word>,
    /// Texts to be read in turn: backticks, here-documents, here-strings, comments.
    pub(crate) texts: Vec<String>,
    /// Why the text could not be read to its end.
    pub(crate) incomplete: Option<&'static str>,
}

pub(crate) fn scan(text: &str) -> Found {
    let mut scanner = scan::Scanner::new(text);
    scanner.list(0);
    scanner.found
}

impl Word {
    pub(crate) fn is_literal(&self) -> bool {
        self.kind == Kind::Literal
    }
}

pub(super) const TOO_DEEP: &str = "it is nested more than 8 deep";
pub(super) const UNCLOSED: &str = "something in it is not closed";

pub(super) const fn is_too_deep(depth: usize) -> bool {
    depth > limits::NESTING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<String> {
        let found = scan(text);
        let join = |words: &Vec<Word>| {
            words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        found.commands.iter().map(join).collect()
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
                commands(text).iter().any(|found| found.ends_with("rm x")),
                "{text:?}: {:?}",
                commands(text)
            );
        }
    }

    #[test]
    fn texts_inside_are_handed_on() {
        for (text, inside) in [
            ("a `rm x`", "rm x"),
            ("a \"`rm \\\"x\\\"`\"", "rm \"x\""),
            ("a <<E\nrm x\nE", "rm x\n"),
            ("a <<< 'rm x'", "rm x"),
            ("a # rm x", " rm x"),
        ] {
            assert_eq!(scan(text).texts, [inside], "{text:?}");
        }
    }

    #[test]
    fn what_is_expanded_is_not_literal() {
        for text in
            ["$x", "${x}", "r*", "r?", "[r]m", "~/x", "{a,b}", "$(x)", "`x`", "a$1", "r$'m'$x"]
        {
            let found = scan(text);
            let word = found.commands.last().and_then(|words| words.first());
            assert!(word.is_some_and(|word| !word.is_literal()), "{text}");
        }
        assert!(scan("find . {} a$").commands[0].iter().all(Word::is_literal));
    }

    #[test]
    fn what_does_not_end_is_said() {
        for text in ["a 'b", "a \"b", "a $(b", "a ${b", "a `b", "((((((((( a", "a <<E\nb"] {
            assert!(scan(text).incomplete.is_some(), "{text}");
        }
        assert_eq!(scan("a 'b' \"c\" $(d) ${e} `f`").incomplete, None);
    }
}
