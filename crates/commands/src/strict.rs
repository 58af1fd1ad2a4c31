//! The strict parser, for allow rules: simple commands of literal words, and nothing that two
//! shells could parse differently.
//!
//! It may refuse harmless lines, but must never accept a line that a shell would parse differently.
//! Deny rules use `loose` instead.

mod cursor;
mod words;

use crate::limits;
use cursor::Cursor;

/// The operator between two simple commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    And,
    Or,
    Then,
    Pipe,
}

/// One simple command, with its words as the program would receive them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub argv: Vec<String>,
    /// Its redirections in canonical form.
    pub redirections: Vec<&'static str>,
    /// How it is joined to the next segment.
    pub join: Option<Join>,
}

/// Where and why the strict parser refuses a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRefusal {
    /// In bytes from the start of the line.
    pub offset: usize,
    pub why: &'static str,
}

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
    "time",
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

/// Parses the simple commands of a line.
pub(crate) fn parse_line(text: &str) -> Result<Vec<Segment>, ParseRefusal> {
    let mut cursor = Cursor::new(text);
    let mut segments = Vec::new();
    cursor.skip_lines();
    while !cursor.is_done() {
        if segments.len() == limits::MAX_SEGMENTS {
            return Err(cursor.refuse("there are more than 64 commands in it"));
        }
        let mut segment = parse_segment(&mut cursor)?;
        segment.join = parse_join(&mut cursor)?;
        segments.push(segment);
    }
    match segments.last().and_then(|last| last.join) {
        Some(Join::And | Join::Or | Join::Pipe) => {
            Err(cursor.refuse("a command is missing at the end"))
        }
        Some(Join::Then) | None => Ok(segments),
    }
}

fn parse_segment(cursor: &mut Cursor) -> Result<Segment, ParseRefusal> {
    let mut segment = Segment { argv: Vec::new(), redirections: Vec::new(), join: None };
    loop {
        cursor.skip_blanks();
        if cursor.is_done() || cursor.is_at_join() {
            break;
        }
        let start = cursor.offset();
        if let Some(redirection) = cursor.take_redirection() {
            if segment.argv.is_empty() {
                return Err(ParseRefusal {
                    offset: start,
                    why: "a redirection comes before its command",
                });
            }
            segment.redirections.push(redirection);
            continue;
        }
        let word = words::parse_word(cursor)?;
        if segment.argv.is_empty() {
            check_program_name(&word, start)?;
        }
        segment.argv.push(word);
    }
    if segment.argv.is_empty() { Err(cursor.refuse("a command is missing")) } else { Ok(segment) }
}

fn check_program_name(word: &str, offset: usize) -> Result<(), ParseRefusal> {
    let why = if word.is_empty() {
        "the program has no name"
    } else if word.contains('=') {
        "an assignment is part of the command"
    } else if RESERVED_WORDS.contains(&word) {
        "it starts with a keyword of the shell"
    } else if !word.bytes().all(words::is_safe) {
        "the name of the program contains unsafe characters"
    } else {
        return Ok(());
    };
    Err(ParseRefusal { offset, why })
}

fn parse_join(cursor: &mut Cursor) -> Result<Option<Join>, ParseRefusal> {
    let join = match cursor.take_operator() {
        None => return Ok(None),
        Some("&&") => Join::And,
        Some("||") => Join::Or,
        Some("|") => Join::Pipe,
        Some(";" | "\n") => Join::Then,
        Some(_) => {
            return Err(cursor.refuse("it contains an operator other than `&&`, `||`, `;`, `|`"));
        }
    };
    cursor.skip_lines();
    Ok(Some(join))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_argvs(text: &str) -> Option<Vec<Vec<String>>> {
        parse_line(text).ok().map(|found| found.into_iter().map(|segment| segment.argv).collect())
    }

    #[test]
    fn quoting_and_blanks_do_not_change_words() {
        let expected = Some(vec![["git", "push", "or igin"].map(str::to_owned).to_vec()]);
        for text in
            ["git push 'or igin'", " git  push\t\"or igin\"\n", "'git' p\"us\"h 'or'\" ig\"in;"]
        {
            assert_eq!(parse_argvs(text), expected, "{text:?}");
        }
    }

    #[test]
    fn double_quotes_support_the_same_escapes_as_a_shell() {
        let words = parse_argvs(r#"x "a\"b" "c\\d" "\$e" "f\g" '' a#b HEAD~1 '\n'"#).unwrap();
        assert_eq!(words[0], ["x", "a\"b", "c\\d", "$e", "f\\g", "", "a#b", "HEAD~1", "\\n"]);
    }

    #[test]
    fn joins_and_harmless_redirections_are_parsed() {
        let found = parse_line("a 2>&1 | b > /dev/null && c 2>/dev/null || d; e\n\nf\n").unwrap();
        let joins: Vec<_> = found.iter().map(|segment| segment.join).collect();
        use Join::{And, Or, Pipe, Then};
        assert_eq!(joins, [Some(Pipe), Some(And), Some(Or), Some(Then), Some(Then), Some(Then)]);
        assert_eq!(found[0].redirections, ["2>&1"]);
        assert_eq!(found[1].redirections, [">/dev/null"]);
        assert_eq!(found[2].redirections, ["2>/dev/null"]);
    }

    #[test]
    fn a_line_that_a_shell_could_parse_differently_is_refused() {
        for text in [
            "a &",
            "a |& b",
            "a ;; b",
            "; a",
            "a && && b",
            "a &&",
            "echo $HOME",
            "echo `id`",
            "echo *",
            "ls ~",
            "ls a=~",
            "a\\ b",
            "cat < f",
            "x > f",
            "x >f2>&1",
            "A=1 git push",
            "git push # note",
            "! true",
            "{ id; }",
            "if true",
            "echo é",
            "(id)",
            "echo ^a",
            "time ls",
            "echo 'a",
            "echo \"a",
            "echo \"$x\"",
            "echo \"`id`\"",
            "echo \"a!b\"",
            "a 2>&1x",
            "a 2>&12",
            "a >/dev/null/../x",
            "a >>/dev/null",
            "a 1>/dev/null",
            "a &>/dev/null",
            "2>&1 a",
            "'' x",
            "'a b' x",
            "bаsh x",
            "a \"b\\\nc\"",
            "=ls",
            "a\\\nb",
            "echo {a,b}",
            "echo [a]",
            "a 2>'/dev/null'",
        ] {
            assert_eq!(parse_argvs(text), None, "{text:?}");
        }
        assert_eq!(parse_argvs("").map(|found| found.len()), Some(0));
    }
}
