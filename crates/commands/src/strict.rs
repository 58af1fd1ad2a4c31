//! The strict reader: simple commands of literal words, and nothing that two shells could read
//! differently.
//!
//! It may refuse what is harmless; it must never accept what a shell would read otherwise. Deny
//! rules do not use it, see `loose`.

mod cursor;
mod words;

use crate::limits;
use cursor::Cursor;

/// What stands between two simple commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    And,
    Or,
    Then,
    Pipe,
}

/// One simple command: words as the program would receive them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub argv: Vec<String>,
    /// The redirections it carries, as they are written canonically.
    pub redirections: Vec<&'static str>,
    /// How it is joined to the one after it.
    pub join: Option<Join>,
}

/// Where and why the strict grammar ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In bytes from the beginning.
    pub at: usize,
    pub why: &'static str,
}

/// Words that a shell takes for its own at the head of a command.
const RESERVED: &[&str] = &[
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

/// The simple commands of a line.
pub(crate) fn read(text: &str) -> Result<Vec<Segment>, Refusal> {
    let mut at = Cursor::new(text);
    let mut segments = Vec::new();
    at.skip_lines();
    while !at.is_done() {
        if segments.len() == limits::SEGMENTS {
            return Err(at.refuse("there are more than 64 commands in it"));
        }
        let mut segment = one(&mut at)?;
        segment.join = join(&mut at)?;
        segments.push(segment);
    }
    match segments.last().and_then(|last| last.join) {
        Some(Join::And | Join::Or | Join::Pipe) => {
            Err(at.refuse("a command is missing at the end"))
        }
        Some(Join::Then) | None => Ok(segments),
    }
}

fn one(at: &mut Cursor) -> Result<Segment, Refusal> {
    let mut segment = Segment { argv: Vec::new(), redirections: Vec::new(), join: None };
    loop {
        at.skip_blanks();
        if at.is_done() || at.at_join() {
            break;
        }
        let begin = at.place();
        if let Some(redirection) = at.redirection() {
            if segment.argv.is_empty() {
                return Err(Refusal { at: begin, why: "a redirection stands before its command" });
            }
            segment.redirections.push(redirection);
            continue;
        }
        let word = words::word(at)?;
        if segment.argv.is_empty() {
            program(&word, begin)?;
        }
        segment.argv.push(word);
    }
    if segment.argv.is_empty() { Err(at.refuse("a command is missing")) } else { Ok(segment) }
}

fn program(word: &str, at: usize) -> Result<(), Refusal> {
    let why = if word.is_empty() {
        "the program has no name"
    } else if word.contains('=') {
        "an assignment is part of the command"
    } else if RESERVED.contains(&word) {
        "it begins with a word of the shell itself"
    } else if !word.bytes().all(words::is_safe) {
        "the name of the program holds more than plain ASCII"
    } else {
        return Ok(());
    };
    Err(Refusal { at, why })
}

fn join(at: &mut Cursor) -> Result<Option<Join>, Refusal> {
    let join = match at.operator() {
        None => return Ok(None),
        Some("&&") => Join::And,
        Some("||") => Join::Or,
        Some("|") => Join::Pipe,
        Some(";" | "\n") => Join::Then,
        Some(_) => {
            return Err(at.refuse("it is joined by something else than `&&`, `||`, `;`, `|`"));
        }
    };
    at.skip_lines();
    Ok(Some(join))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argvs(text: &str) -> Option<Vec<Vec<String>>> {
        read(text).ok().map(|found| found.into_iter().map(|segment| segment.argv).collect())
    }

    #[test]
    fn quoting_and_blanks_do_not_change_words() {
        let expected = Some(vec![["git", "push", "or igin"].map(str::to_owned).to_vec()]);
        for text in
            ["git push 'or igin'", " git  push\t\"or igin\"\n", "'git' p\"us\"h 'or'\" ig\"in;"]
        {
            assert_eq!(argvs(text), expected, "{text:?}");
        }
    }

    #[test]
    fn double_quotes_take_only_the_escapes_that_a_shell_takes() {
        let words = argvs(r#"x "a\"b" "c\\d" "\$e" "f\g" '' a#b HEAD~1 '\n'"#).unwrap();
        assert_eq!(words[0], ["x", "a\"b", "c\\d", "$e", "f\\g", "", "a#b", "HEAD~1", "\\n"]);
    }

    #[test]
    fn joins_and_quiet_redirections_are_part_of_the_grammar() {
        let found = read("a 2>&1 | b > /dev/null && c 2>/dev/null || d; e\n\nf\n").unwrap();
        let joins: Vec<_> = found.iter().map(|segment| segment.join).collect();
        use Join::{And, Or, Pipe, Then};
        assert_eq!(joins, [Some(Pipe), Some(And), Some(Or), Some(Then), Some(Then), Some(Then)]);
        assert_eq!(found[0].redirections, ["2>&1"]);
        assert_eq!(found[1].redirections, [">/dev/null"]);
        assert_eq!(found[2].redirections, ["2>/dev/null"]);
    }

    #[test]
    fn what_a_shell_could_read_otherwise_is_refused() {
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
            assert_eq!(argvs(text), None, "{text:?}");
        }
        assert_eq!(argvs("").map(|found| found.len()), Some(0));
    }
}
