//! The loose parser, for deny rules: finds every command that a text could run.
//!
//! It may find commands that would never run, but must not miss one that could. It looks inside
//! groups, control flow, functions and substitutions; here-documents are returned as texts, because
//! only a shell runs them. If it cannot parse a text completely it says so. Allow rules use `strict`.
//!
//! See docs/decisions/0047-what-a-deny-rule-reads.md.

mod ansi;
mod expand;
mod quotes;
mod scan;
mod values;

use crate::limits;
pub use values::{USER_NAME, Variables};

/// A word after quote removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub kind: WordKind,
    /// For each unknown value of the text: what it may be. Empty if nobody knows.
    pub values: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordKind {
    #[default]
    Literal,
    /// Contains an expansion, so its value is unknown.
    Dynamic,
}

/// Shell keywords after which a command starts.
pub const COMMAND_OPENERS: &[&str] = &[
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "and", "or",
    "not", "begin", "always", "coproc",
];

/// What the parser found in a text.
#[derive(Debug, Default)]
pub struct LooseScan {
    /// In the order of the text. A substitution stands before the command that it is part of.
    pub items: Vec<LooseItem>,
    /// Texts to scan in turn: backticks.
    pub nested_texts: Vec<String>,
    /// Texts that a shell would run if it read them: here-documents and here-strings.
    pub inputs: Vec<InputText>,
    /// The variables after the text.
    pub variables: Variables,
    /// Why the text could not be parsed completely, if so.
    pub incomplete: Option<Incomplete>,
}

#[derive(Debug)]
pub enum LooseItem {
    Command(LooseCommand),
    /// A subshell begins: what it changes ends with it.
    Enter(Subshell),
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subshell {
    Group,
    /// What it prints becomes a word of another command.
    Substitution,
}

#[derive(Debug)]
pub struct LooseCommand {
    /// Empty behind a subshell.
    pub words: Vec<Word>,
    pub redirect_targets: Vec<Word>,
    pub join: LooseJoin,
}

/// What follows a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooseJoin {
    And,
    Or,
    Then,
    Pipe,
    Background,
}

#[derive(Debug)]
pub struct InputText {
    pub text: String,
    pub expansion: InputExpansion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputExpansion {
    None,
    /// The shell runs the substitutions in it.
    Substitutions,
}

/// Why a text could not be parsed completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Deeper than the limit: probably hides something.
    TooDeep(&'static str),
    Unreadable(&'static str),
}

/// Stands in a word for the value of an expansion, which nobody knows. No line contains it.
pub const UNKNOWN_VALUE: char = '\0';

#[cfg(test)]
pub fn scan(text: &str) -> LooseScan {
    scan_with(text, Variables::default())
}

/// Scans a text whose variables may have these values.
pub fn scan_with(text: &str, variables: Variables) -> LooseScan {
    let mut scanner = scan::Scanner::new(text, variables);
    scanner.scan_list(0);
    scanner.found
}

/// Scans the substitutions in a here-document.
pub fn scan_input(text: &str, variables: Variables) -> LooseScan {
    let mut scanner = scan::Scanner::new(text, variables);
    scanner.scan_substitutions();
    scanner.found
}

impl Word {
    pub fn is_literal(&self) -> bool {
        self.kind == WordKind::Literal
    }
}

pub(super) const TOO_DEEP: Incomplete = Incomplete::TooDeep("it is nested more than 8 deep");
pub(super) const UNCLOSED: Incomplete = Incomplete::Unreadable("something in it is not closed");

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
        commands_of(&scanned).map(join).collect()
    }

    fn commands_of(scanned: &LooseScan) -> impl Iterator<Item = &Vec<Word>> {
        scanned.items.iter().filter_map(|item| match item {
            LooseItem::Command(command) => Some(&command.words),
            LooseItem::Enter(_) | LooseItem::Leave => None,
        })
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
            "a \"$'$(rm x)'\"",
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
        for (text, inside) in [("a `rm x`", "rm x"), ("a \"`rm \\\"x\\\"`\"", "rm \"x\"")] {
            assert_eq!(scan(text).nested_texts, [inside], "{text:?}");
        }
        for (text, inside) in
            [("a <<E\nrm x\nE", "rm x\n"), ("a <<'E'\nit's\nE", "it's\n"), ("a <<< 'rm x'", "rm x")]
        {
            let inputs = scan(text).inputs;
            assert_eq!(inputs[0].text, inside, "{text:?}");
        }
        assert!(scan("a # it's").incomplete.is_none());
    }

    #[test]
    fn a_word_with_an_expansion_is_not_literal() {
        for text in
            ["$x", "${x}", "r*", "r?", "[r]m", "~/x", "{a,b}", "$(x)", "`x`", "a$1", "r$'m'$x"]
        {
            let scanned = scan(text);
            let word = commands_of(&scanned).last().and_then(|words| words.first());
            assert!(word.is_some_and(|word| !word.is_literal()), "{text}");
        }
        let scanned = scan("find . {} a$");
        assert!(commands_of(&scanned).all(|words| words.iter().all(Word::is_literal)));
    }

    #[test]
    fn an_unclosed_text_is_reported_as_incomplete() {
        for text in ["a 'b", "a \"b", "a $(b", "a ${b", "a `b", "((((((((( a", "a <<E\nb"] {
            assert!(scan(text).incomplete.is_some(), "{text}");
        }
        assert_eq!(scan("a 'b' \"c\" $(d) ${e} `f`").incomplete, None);
    }
}
