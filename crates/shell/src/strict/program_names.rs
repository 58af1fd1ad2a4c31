//! Which words may name the program of a command.

use super::variables::ParsedFolder;
use super::words::{self, ParsedWord, VariableUse};
use super::{ParseRefusal, WordForm};

/// Words that are keywords at the start of a command, in any common shell.
const RESERVED_WORDS: &[&str] = &[
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "do",
    "done",
    "case",
    "esac",
    "while",
    "until",
    "for",
    "in",
    "function",
    "select",
    "coproc",
    "repeat",
    "foreach",
    "end",
    "nocorrect",
    "noglob",
    "and",
    "or",
    "not",
    "begin",
    "switch",
    "always",
    "typeset",
    "declare",
    "local",
];

pub(super) fn check_program_name(word: &ParsedWord, offset: usize) -> Result<(), ParseRefusal> {
    let text = word.text.as_str();
    let why = if text.is_empty() {
        "the program has no name"
    } else if word.folder.as_ref().is_some_and(is_program_path) {
        return Ok(());
    } else if word.form == WordForm::Pattern {
        "a pattern is expanded"
    } else if word.variables == VariableUse::Replaced {
        "something is expanded"
    } else if text == "[" {
        return Ok(());
    } else if text.contains('=') {
        "an assignment is part of the command"
    } else if RESERVED_WORDS.contains(&text) {
        "it starts with a keyword of the shell"
    } else if !text.bytes().all(words::is_safe) {
        "the name of the program contains unsafe characters"
    } else {
        return Ok(());
    };
    Err(ParseRefusal { offset, why })
}

fn is_program_path(folder: &ParsedFolder) -> bool {
    !folder.rest.is_empty() && folder.rest.bytes().all(words::is_safe)
}
